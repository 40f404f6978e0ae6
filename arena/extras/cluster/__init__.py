"""Many machines: the matches of an event, played by the workers of a dask cluster.

Page: docs/extras/cluster.md.

`driver.py` takes the place of workers.py in a run, with `machine.py` for each worker,
`admission.py` for the decision which machines play, and `pairings.py` for the matches that belong
together. `session.py` and `host.py` are at the worker's side, with `calibration.py` for its speed;
`command.py` and `start.py` start a worker. `wire.py` says how files and values travel.
`comparison.py` tests whether all machines played alike; `frames.py` and `section.py` show it. The
package `distributed` is imported only when a cluster is used.

Where to change what (paths begin below arena/):

- which machines of a cluster play, and when one is refused: `extras/cluster/admission.py`, then
  docs/extras/cluster.md; what they measure: `extras/cluster/calibration.py`
- which matches go to the same machine: `extras/cluster/pairings.py`; how many at once:
  `extras/cluster/machine.py` `is_enough`
- how work travels to a machine, and what happens when it is lost: `extras/cluster/driver.py`,
  `extras/cluster/session.py`; after how long a silent machine is lost: `LEASE_S` there; the
  driver's limit follows from it
"""

from arena.extensions import AddedCommand, AddedFrame, AddedLanes, AddedSection, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="worker",
            line="Play matches on this machine for the runs of a cluster.",
            path="arena.extras.cluster.command:worker",
        ),
    ),
    frames={
        "machines": AddedFrame(
            path="arena.extras.cluster.frames:machines",
            columns="arena.extras.cluster.frames:MACHINES",
        ),
    },
    keys={"workers": "arena.extras.cluster.keys:ClusterKeys"},
    lanes=(
        AddedLanes(
            address="local:.*|.*://.*",
            example="a cluster such as tcp://host:8786",
            key="workers.cluster",
            path="arena.extras.cluster.joining:lanes_of",
        ),
    ),
    sections={"machines": AddedSection(page="arena.extras.cluster.section:section")},
)
