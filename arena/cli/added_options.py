"""Options that extensions add to commands.

A command and the functions of extensions become one function for typer.

It knows no command and no extension. arena/extensions.py says why an added option takes its command
over.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any

from arena.errors import ArenaError
from arena.extensions import AddedOptions, load

Function = Callable[..., Any]
HINT = "uninstall its package, or have it mended"


@dataclass(frozen=True, kw_only=True)
class Joined:
    """A command with the options that extensions add to it."""

    run: Function
    """It has all parameters, and runs the command, or the function of one extension."""
    owners: dict[str, str]
    """The extension of each added parameter, by the parameter's name."""


@dataclass(frozen=True, kw_only=True)
class Takeover:
    """A function of an extension that may run in place of a command."""

    extension: str
    function: Function
    shared: tuple[str, ...]
    """Its parameters that the command has, too."""
    options: dict[str, Parameter]
    """Its other parameters, which are the added options, by name."""
    spared: dict[str, Parameter]
    """The arguments of the command that it can do without, by name: it has a default for them."""

    def is_wanted(self, values: dict[str, Any]) -> bool:
        """Return whether one of the options was given."""
        return any(values[name] != option.default for name, option in self.options.items())

    def run(self, values: dict[str, Any]) -> Any:
        """Run the function with those values that it has parameters for."""
        arguments = {name: values[name] for name in self.shared}
        for name in self.options:
            arguments[name] = values[name]
        return self.function(**arguments)


def joined(
    command: str,
    function: Function,
    added: Iterable[tuple[str, AddedOptions]],
) -> Joined:
    """Join a command's function with those that extensions declare.

    Raises:
        ArenaError: two extensions add an option of one name, or an option has no default.
    """
    core_parameters = dict(signature(function, eval_str=True).parameters)
    parameters = dict(core_parameters)
    owners: dict[str, str] = {}
    spared: dict[str, Parameter] = {}
    takeovers: list[Takeover] = []
    for extension, declared in added:
        takeover = _takeover(extension, load(declared.path), core_parameters)
        spared |= takeover.spared
        parameters |= takeover.spared
        for name, option in takeover.options.items():
            if name in owners:
                raise ArenaError(
                    f"extension {extension}: `arena {command}` has an option {name!r} "
                    f"of the extension {owners[name]} already; {HINT}"
                )
            if option.default is Parameter.empty:
                raise ArenaError(
                    f"extension {extension}: its option {name!r} of `arena {command}` has no "
                    f"default; {HINT}"
                )
            owners[name] = extension
            parameters[name] = option.replace(kind=Parameter.KEYWORD_ONLY)
        takeovers.append(takeover)

    def run(**values: Any) -> Any:
        takeovers_wanted = [takeover for takeover in takeovers if takeover.is_wanted(values)]
        if len(takeovers_wanted) > 1:
            names = " and of ".join(takeover.extension for takeover in takeovers_wanted)
            raise ArenaError(
                f"arena {command}: options of {names} do not go together; name those of one"
            )
        if takeovers_wanted:
            return takeovers_wanted[0].run(values)
        for name, argument in spared.items():
            if values[name] == argument.default:
                raise ArenaError(
                    f"arena {command}: the argument {_metavar(argument)} is missing; "
                    f"`arena {command} --help` says more"
                )
        return function(**{name: values[name] for name in core_parameters})

    run.__doc__ = function.__doc__
    run.__signature__ = Signature(list(parameters.values()))  # type: ignore[attr-defined]
    return Joined(run=run, owners=owners)


def _takeover(
    extension: str,
    function: Function,
    core_parameters: dict[str, Parameter],
) -> Takeover:
    """Separate the parameters of an extension's function: those of the command, and options."""
    shared: list[str] = []
    options: dict[str, Parameter] = {}
    spared: dict[str, Parameter] = {}
    parameters = signature(function, eval_str=True).parameters
    for name, parameter in parameters.items():
        if name in core_parameters:
            shared.append(name)
            core_parameter = core_parameters[name]
            is_required = core_parameter.default is Parameter.empty
            if is_required and parameter.default is not Parameter.empty:
                spared[name] = core_parameter.replace(default=parameter.default)
        else:
            options[name] = parameter
    return Takeover(
        extension=extension,
        function=function,
        shared=tuple(shared),
        options=options,
        spared=spared,
    )


def _metavar(argument: Parameter) -> str:
    """Return an argument as the usage of its command has it."""
    (info,) = argument.annotation.__metadata__
    return info.metavar or argument.name.upper()


def refuse_doubles(command: str, parser: Any, owners: dict[str, str]) -> None:
    """Raise ArenaError where an added option is written as another option of the command is."""
    known: set[str] = set()
    for parameter in parser.params:
        for word in parameter.opts + parameter.secondary_opts:
            if word in known and parameter.name in owners:
                raise ArenaError(
                    f"extension {owners[parameter.name]}: `arena {command}` has an option {word} "
                    f"already; {HINT}"
                )
            known.add(word)
