-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest c619a77b.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_refs_of_files as (

    select
        repo,
        path,
        file_id,
        cst_refs
    from evidence_cst

),

cst_refs_seen as (

    select
        repo,
        path,
        file_id,
        entry.kind,
        entry.text as ref_text,
        entry.context as ref_context,
        entry.scope_kind as ref_scope_kind,
        entry.scope_name as ref_scope_name,
        entry.parent_kind,
        entry.bstart,
        entry.bend
    from cst_refs_of_files
        lateral view explode(cst_refs) cst_refs_exploded as entry

)

select * from cst_refs_seen
