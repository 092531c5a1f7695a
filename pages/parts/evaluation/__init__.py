"""Parts of the page Evaluate and of the page Check, and how a version stands against the proposing one."""
