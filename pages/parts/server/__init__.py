"""What the app does apart from its pages: routes, logins, headers, and what happens before it serves anybody."""
