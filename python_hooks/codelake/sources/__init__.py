"""Which bytes: the first stage.

- scan.py: a repository -> its Python files, with digests and reasons for those skipped
- scope.py: the same repository -> what was included, what was left out and why
- plan.py: files and what the lake already holds -> what to extract, what to delete
- decode.py: bytes -> text, encoding and line starts
- project.py: project files (pyproject.py, setup_files.py) -> what a repository says about itself
- interfaces.py: imported names -> standard library, distribution (environment.py, lock_files.py)
- modules.py: a path -> its module name and role
"""
