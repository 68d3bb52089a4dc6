"""The command `codelake`.

main.py      the commands
options.py   flags that several commands share
console.py   tables, JSON and the progress bar
doctor.py    checks of the machine and the project
"""
