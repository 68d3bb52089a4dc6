-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest b9b11a82.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_defs_of_files as (

    select
        repo,
        path,
        file_id,
        cst_defs
    from evidence_cst

),

cst_defs_seen as (

    select
        repo,
        path,
        file_id,
        cst_def_no,
        entry.kind,
        entry.name,
        entry.container_idx,
        entry.bstart,
        entry.bend,
        entry.name_bstart,
        entry.name_bend,
        entry.qnames,
        entry.fqns,
        entry.docstring,
        entry.decorator_count
    from cst_defs_of_files
        lateral view posexplode(cst_defs) cst_defs_exploded as cst_def_no, entry

)

select * from cst_defs_seen
