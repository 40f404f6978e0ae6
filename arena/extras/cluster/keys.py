"""The keys of a cluster in the table [workers] of tournament.toml."""

import re
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import BeforeValidator, Field

from arena.event.tables import Table

if TYPE_CHECKING:
    from arena.event.config import Tournament

SCHEDULER = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}")
LOCAL_CLUSTER = re.compile(r"local:[1-9]\d{0,2}")


def _cluster(address: object) -> object:
    if address is None or address == "none":
        return None
    is_address = isinstance(address, str) and (
        SCHEDULER.fullmatch(address) or LOCAL_CLUSTER.fullmatch(address)
    )
    if not is_address:
        raise ValueError(
            'a scheduler such as "tcp://host:8786" or "tls://host:8786", "local:4", or "none"'
        )
    return address


class ClusterKeys(Table):
    """Keys of [workers]."""

    cluster: Annotated[str | None, BeforeValidator(_cluster)] = Field(
        None,
        description="Play on the machines of a dask cluster: its scheduler, "
        'such as "tcp://host:8786", or "local:4".',
    )
    scale_time: bool = Field(
        False, description="Give bots more time on a slower machine of a cluster."
    )


def keys_of(tournament: "Tournament") -> ClusterKeys:
    """Return the keys of a cluster in a tournament.toml."""
    return cast(ClusterKeys, tournament.table("workers"))
