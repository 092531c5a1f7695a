"""What the webhook adds to the app: events are sent as long as it runs, and Status says where to."""

from annotate.webhook.delivery import delivering
from pages.parts.frame.shown import Shown
from pages.parts.webhook.webhook_form import webhook_panel

SHOWN = Shown(running=(delivering,), status=(webhook_panel,))
