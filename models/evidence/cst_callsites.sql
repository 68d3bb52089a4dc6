-- Generated from python_hooks/codelake/semantic/catalog/concrete.py, digest 9629cc71.
-- Do not edit: run `codelake compile`.
with

evidence_cst as (

    select * from {{ ref('evidence_cst') }}

),

cst_callsites_of_files as (

    select
        repo,
        path,
        file_id,
        cst_callsites
    from evidence_cst

),

cst_callsites_seen as (

    select
        repo,
        path,
        file_id,
        cst_call_no,
        entry.bstart,
        entry.bend,
        entry.callee_bstart,
        entry.callee_bend,
        entry.callee_shape,
        entry.callee_text,
        entry.callee_dotted,
        entry.arg_count,
        entry.callee_qnames,
        entry.callee_qname_sources,
        entry.callee_fqns
    from cst_callsites_of_files
        lateral view posexplode(cst_callsites) cst_callsites_exploded as cst_call_no, entry

)

select * from cst_callsites_seen
