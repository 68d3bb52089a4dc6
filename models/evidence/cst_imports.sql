-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest 462bfdee.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_imports_of_files as (

    select
        repo,
        path,
        file_id,
        cst_imports
    from evidence_cst

),

cst_imports_seen as (

    select
        repo,
        path,
        file_id,
        entry.kind,
        entry.module,
        entry.level,
        entry.name,
        entry.asname,
        entry.is_star,
        entry.stmt_bstart,
        entry.stmt_bend,
        entry.bstart,
        entry.bend
    from cst_imports_of_files
        lateral view explode(cst_imports) cst_imports_exploded as entry

)

select * from cst_imports_seen
