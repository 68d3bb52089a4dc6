-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest d1e33ef5.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_docstrings_of_files as (

    select
        repo,
        path,
        file_id,
        cst_docstrings
    from evidence_cst

),

cst_docstrings_seen as (

    select
        repo,
        path,
        file_id,
        entry.owner_idx,
        entry.owner_kind,
        entry.docstring,
        entry.bstart,
        entry.bend
    from cst_docstrings_of_files
        lateral view explode(cst_docstrings) cst_docstrings_exploded as entry

)

select * from cst_docstrings_seen
