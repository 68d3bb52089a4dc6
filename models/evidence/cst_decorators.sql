-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest 5548365d.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_decorators_of_files as (

    select
        repo,
        path,
        file_id,
        cst_decorators
    from evidence_cst

),

cst_decorators_seen as (

    select
        repo,
        path,
        file_id,
        entry.owner_idx,
        entry.owner_kind,
        entry.idx,
        entry.text as source_text,
        entry.bstart,
        entry.bend
    from cst_decorators_of_files
        lateral view explode(cst_decorators) cst_decorators_exploded as entry

)

select * from cst_decorators_seen
