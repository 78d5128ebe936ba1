"""The API for code that does not await, generated from `aio` by generate.py."""
