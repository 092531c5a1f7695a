"""Commands that manage people, also how the first admin comes to be, and the tokens of their programs."""

import argparse
import getpass
import sys
from collections.abc import Callable
from pathlib import Path

from annotate.cli.frame.common import Command, Commands, Result, number
from annotate.operations import personal_data
from annotate.project.rights import Role
from annotate.team import api_tokens, people


def _add(options: argparse.Namespace) -> Result:
    if options.issuer or options.subject:
        if not (options.issuer and options.subject):
            raise ValueError("an identity is --issuer and --subject")
        people.add(options.name, options.role, issuer=options.issuer, subject=options.subject)
    else:
        people.add(options.name, options.role, password=_password(options))
    return {"added": options.name, "role": options.role}


def _password(options: argparse.Namespace) -> str:
    """Never from an argument, which every user of the machine can see."""
    if options.password_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise ValueError("the two passwords differ")
    return password


def _list(_: argparse.Namespace) -> Result:
    rows = [
        [
            *(one.name, one.role, "disabled" if one.disabled else "enabled", one.known_by, one.last_login or ""),
            "second factor" if one.second_factor else "",
        ]
        for one in people.people()
    ]
    return {"people": rows}


def _role(options: argparse.Namespace) -> Result:
    people.set_role(people.find(options.name), options.role)
    return {"name": options.name, "role": options.role}


def _changes(change: Callable[[int], object], outcome: str) -> Command:
    """The command that makes this change of the person whom it names."""

    def run(options: argparse.Namespace) -> Result:
        change(people.find(options.name))
        return {outcome: options.name}

    return run


def _set_password(options: argparse.Namespace) -> Result:
    people.set_password(people.find(options.name), _password(options))
    return {"password changed": options.name}


def _export(options: argparse.Namespace) -> Result:
    return {"file": str(options.file), "rows": personal_data.export(options.name, options.file)}


def _erase(options: argparse.Namespace) -> Result:
    return {"erased": options.name, "now": personal_data.erase(options.name)}


def _list_tokens(_: argparse.Namespace) -> Result:
    rows = [
        [each.id, each.annotator, each.name, each.created_at, each.last_used_at or "never used"]
        for each in api_tokens.all_tokens()
    ]
    return {"tokens": rows}


def _revoke_token(options: argparse.Namespace) -> Result:
    api_tokens.revoke(options.number)
    return {"revoked": options.number}


def _add_token_commands(commands: Commands) -> None:
    group = commands.group("token")
    add = commands.add(
        "add",
        lambda options: {"token": api_tokens.make(options.name, options.person)},
        "Make a token. It is printed once; it cannot be shown again.",
        group,
    )
    add.add_argument("name", metavar="NAME", help="what it is for")
    add.add_argument("--person", required=True, help="in whose name the program acts")
    commands.add("list", _list_tokens, "All tokens that were not revoked, with their numbers.", group)
    revoke = commands.add("revoke", _revoke_token, "Revoke a token.", group)
    revoke.add_argument("number", type=number, metavar="NUMBER")


def add_commands(commands: Commands) -> None:
    """Registers the commands of people and their API tokens with the parser."""
    group = commands.group("people")
    roles = list(map(str, Role))
    add = commands.add("add", _add, "Add a person, by a password or by an identity provider's subject.", group)
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", required=True, choices=roles)
    add.add_argument("--issuer", help="the identity provider's issuer address")
    add.add_argument("--subject", help="what that provider calls the person")
    commands.add("list", _list, "Everybody with an account.", group)
    role = commands.add("role", _role, "Give a person another role.", group)
    role.add_argument("name", metavar="NAME")
    role.add_argument("role", choices=roles)
    password = commands.add("password", _set_password, "Give a person another password.", group)
    password.add_argument("name", metavar="NAME")
    for parser in (add, password):
        parser.add_argument("--password-stdin", action="store_true", help="read it from standard input, one line")
    export = commands.add("export", _export, "Write what the database holds about a person, as JSON.", group)
    export.add_argument("name", metavar="NAME")
    export.add_argument("file", type=Path, metavar="FILE")
    for name, run, text in (
        ("erase", _erase, "Erase a person; what they judged stays, under a pseudonym. No one can undo it."),
        ("disable", _changes(people.disable, "disabled"), "Let a person do nothing any more."),
        ("enable", _changes(people.enable, "enabled"), "Let a person log in again, or for the first time."),
        (
            "second-factor-off",
            _changes(people.take_second_factor_off, "second factor off"),
            "Take the second factor off a person who lost it.",
        ),
        ("end-sessions", _changes(people.end_sessions, "logged out everywhere"), "Log a person out everywhere."),
    ):
        commands.add(name, run, text, group).add_argument("name", metavar="NAME")
    _add_token_commands(commands)
