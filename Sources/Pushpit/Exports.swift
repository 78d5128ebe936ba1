// A program that embeds a server needs to import only Pushpit: this adds the settings and the errors of invalid ones.
@_exported import Configuration
@_exported import Grammar
