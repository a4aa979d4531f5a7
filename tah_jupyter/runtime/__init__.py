"""The micro-kernel: services, plugins, one bus for events going out, one inbox for commands coming in, and config."""
