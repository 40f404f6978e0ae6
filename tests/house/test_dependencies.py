"""The least versions in pyproject.toml have no hole that is publicly known."""

import importlib.metadata
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = ["", *PROJECT["optional-dependencies"]]
SAFE = {
    "certifi": ("2024.7.4", "CVE-2024-39689: it trusts roots of GLOBALTRUST"),
    "click": ("8.3.3", "CVE-2026-7246: `edit` runs a part of a file's name as a command"),
    "datasette": ("0.65.2", "CVE-2025-64481: a link of it leads to another site"),
    "distributed": ("2026.1.0", "CVE-2026-23528: its dashboard runs the code of a stranger"),
    "duckdb": ("1.4.2", "CVE-2025-64429: keys of encrypted files can be guessed"),
    "fonttools": ("4.60.2", "CVE-2025-66034: varLib writes a file anywhere"),
    "h11": ("0.16.0", "CVE-2025-43859: a request can be hidden behind chunks with wrong line ends"),
    "httpx": ("0.23.0", "CVE-2021-41945: a URL can lead to another host than it says"),
    "idna": ("3.15", "CVE-2026-45409: a long name takes minutes to encode"),
    "ipython": ("8.10.0", "CVE-2023-24816: a title of a terminal is run as a command, on Windows"),
    "jinja2": ("3.1.6", "CVE-2025-27516: a template leaves its sandbox"),
    "jupyter-core": ("5.8.1", "CVE-2025-30167: it reads settings of another user, on Windows"),
    "markdown": ("3.8.1", "CVE-2025-69534: incomplete markup ends the program"),
    "markdown-it-py": ("2.2.0", "CVE-2023-26302: a text ends the program"),
    "mkdocs": ("1.2.3", "CVE-2021-40978: its server shows files outside of the book"),
    "msgpack": ("1.2.3", "CVE-2026-114613: wrong messages fill the memory"),
    "numpy": ("1.22.0", "CVE-2021-41496: an array overruns its buffer"),
    "pillow": ("13.0.0", "CVE-2026-112403: a JPEG overruns its buffer"),
    "playwright": ("1.55.1", "CVE-2025-59288: it installs browsers from whoever answers"),
    "psutil": ("5.6.6", "CVE-2019-18874: memory is freed twice"),
    "pyarrow": ("23.0.1", "CVE-2026-25087: memory is used after it was freed"),
    "pydantic": ("2.4.0", "CVE-2024-3772: an address of e-mail takes minutes to check"),
    "pygments": ("2.20.0", "CVE-2026-4539: a program in ADL takes minutes to colour"),
    "pytest": ("9.0.3", "CVE-2025-71176: another user can make its folder in /tmp first"),
    "python-multipart": ("0.0.31", "CVE-2026-53540: a form fills the memory"),
    "pyyaml": ("5.4", "CVE-2020-14343: a file runs code"),
    "scipy": ("1.10.0", "CVE-2023-25399: memory is not given back"),
    "starlette": ("1.3.1", "PYSEC-2026-249: the limits of a form do not hold"),
    "tornado": ("6.6", "CVE-2026-115927: a body of small chunks holds up all others"),
    "uvicorn": (
        "0.11.7",
        "CVE-2020-7694, CVE-2020-7695: a request writes into the log, or a header of the answer",
    ),
    "websockets": ("9.1", "CVE-2021-33880: the time of an answer gives a password away"),
    "zipp": ("3.19.1", "CVE-2024-5569: an archive is read for ever"),
}
"""The first version of each package that has none of the holes known on 2026-11-29, and the last
hole before it.

Dask's CVE-2026-95897 (`from_npy_stack` unpickles what it reads) has no version that mends it; arena
never calls that.
"""


def least_versions(extra: str) -> dict[str, Version]:
    """Return the least version that pyproject.toml asks for, of each package that comes with an
    extra ("" = always).
    """
    lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"].get(extra, ())]
    least = {}
    for requirement in map(Requirement, lines):
        if requirement.name == PROJECT["name"]:
            for other in requirement.extras:
                least |= least_versions(other)
        for specifier in requirement.specifier:
            assert specifier.operator == ">=", requirement
            least[canonicalize_name(requirement.name)] = Version(specifier.version)
    return least


def brought_along(extra: str) -> dict[str, Version | None]:
    """Return each package that an extra installs here, with the least version that other packages
    ask for.
    """
    found: dict[str, Version | None] = {}
    to_do, done = [(PROJECT["name"], extra)], set()
    while to_do:
        name, chosen = to_do.pop()
        done.add((name, chosen))
        try:
            requirements = map(Requirement, importlib.metadata.requires(name) or ())
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{name} is not installed")
        for requirement in requirements:
            if requirement.marker and not requirement.marker.evaluate({"extra": chosen}):
                continue
            package = canonicalize_name(requirement.name)
            lower = [each for each in requirement.specifier if each.operator in {">=", "==", "~="}]
            bounds = [Version(each.version.removesuffix(".*")) for each in lower]
            if name != PROJECT["name"]:
                found[package] = max([*bounds, *filter(None, [found.get(package)])], default=None)
            to_do += [
                each
                for each in ((package, more) for more in ("", *requirement.extras))
                if each not in done
            ]
    return found


@pytest.mark.parametrize("extra", EXTRAS)
def test_no_least_version_has_a_known_hole(extra):
    least = least_versions(extra)
    assert {
        name: str(least[name])
        for name in SAFE.keys() & least
        if least[name] < Version(SAFE[name][0])
    } == {}


@pytest.mark.parametrize("extra", EXTRAS)
def test_whatever_other_packages_bring_along_is_kept_safe_by_them_or_by_us(extra):
    named = least_versions(extra)
    bounds = {
        name: max(filter(None, (bound, named.get(name))), default=None)
        for name, bound in brought_along(extra).items()
    }
    holes = {
        name
        for name in SAFE.keys() & bounds
        if (bounds[name] or Version("0")) < Version(SAFE[name][0])
    }
    assert holes == set(), "name them in pyproject.toml, in the list of this extra"


def test_the_list_names_nothing_that_nobody_installs():
    installed = {
        name for extra in EXTRAS for name in (*least_versions(extra), *brought_along(extra))
    }
    assert SAFE.keys() - installed == set()
