"""Files that are made when they are asked for: outside of the page's script, where nobody is known or asked."""

from collections.abc import Callable
from typing import TypeVar

from annotate.project.acting import Forbidden, acting, current_actor, demand
from annotate.project.home import read
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right

File = TypeVar("File", str, bytes)


def made_for(right: Right, make: Callable[[], File]) -> Callable[[], File]:
    """`make` for a download button, as whoever sees the page now. Raises Forbidden once they have lost the right."""
    actor = current_actor()

    def made() -> File:
        with acting(actor):
            try:
                with read() as session:
                    demand(session, right)
            except Forbidden as error:
                note_refusal(error)
                raise
            return make()

    return made
