// A program that embeds a server imports Pushpit only: its settings, and what is said of invalid ones, come with it.
@_exported import Configuration
@_exported import Grammar
