"""What orchestrators run of a project; each module needs the package that it is named for."""
