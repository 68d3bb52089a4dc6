-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest c4357907.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_type_exprs_of_files as (

    select
        repo,
        path,
        file_id,
        cst_type_exprs
    from evidence_cst

),

cst_type_exprs_seen as (

    select
        repo,
        path,
        file_id,
        entry.owner_idx,
        entry.name as annotated_name,
        entry.role as type_role,
        entry.text as source_text,
        entry.bstart,
        entry.bend
    from cst_type_exprs_of_files
        lateral view explode(cst_type_exprs) cst_type_exprs_exploded as entry

)

select * from cst_type_exprs_seen
