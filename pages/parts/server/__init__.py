"""What the app does beside its pages: routes, logins, headers, and what happens before it serves anybody."""
