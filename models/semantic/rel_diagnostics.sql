-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 855dc3bd.
-- Do not edit: run `codelake compile`.
with

extract_errors as (

    select * from {{ ref('extract_errors') }}

),

diagnostics as (

    select
        'HAS_DIAGNOSTIC' as edge_kind,
        file_id as src_node_id,
        xxhash64(
            file_id,
            'diagnostic',
            extractor,
            error_type,
            message,
            coalesce(bstart, -1)
        ) as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        extractor as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from extract_errors

)

select * from diagnostics
