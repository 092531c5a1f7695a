"""What the API adds to the app: its routes."""

from pages.parts.api.mount import API_ROUTES
from pages.parts.frame.shown import Shown

SHOWN = Shown(routes=API_ROUTES)
