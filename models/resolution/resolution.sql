-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest 45bc351f.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('evidence') }}
select
    repo,
    path,
    file_id,
    resolution_digest,
    resolution_error,
    links,
    unresolved,
    externals,
    fields
from {{ scanned_files() }}
