-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest d8f0500e.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_call_args_of_files as (

    select
        repo,
        path,
        file_id,
        cst_call_args
    from evidence_cst

),

cst_call_args_seen as (

    select
        repo,
        path,
        file_id,
        entry.call_idx,
        entry.idx,
        entry.keyword,
        entry.star,
        entry.text as source_text,
        entry.bstart,
        entry.bend
    from cst_call_args_of_files
        lateral view explode(cst_call_args) cst_call_args_exploded as entry

)

select * from cst_call_args_seen
