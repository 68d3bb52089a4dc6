-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest a9665437.
-- Do not edit: run `codelake compile`.
with

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

resolved as (

    select
        kind as edge_kind,
        src_node_id,
        dst_node_id,
        label,
        ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'resolver' as origin,
        method,
        rank,
        ambiguity_group_id
    from resolved_links

)

select * from resolved
