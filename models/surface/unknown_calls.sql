-- Generated from python_hooks/codelake/semantic/catalog/surface.py, digest a0a847b8.
-- Do not edit: run `codelake compile`.
with

unresolved_calls as (

    select * from {{ ref('unresolved_calls') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

sites as (

    select
        node_id as call_id,
        owner_id as caller_id,
        line,
        name
    from cpg_nodes

),

unknown_calls_at_sites as (

    select
        unresolved_calls.repo,
        unresolved_calls.path,
        unresolved_calls.file_id,
        unresolved_calls.call_id,
        unresolved_calls.unknown_reason,
        sites.caller_id,
        sites.line,
        sites.name
    from unresolved_calls
    inner join sites
        on unresolved_calls.call_id = sites.call_id

),

callers as (

    select
        node_id as caller_id,
        qualified_name as caller_name
    from cpg_nodes

),

unknown_calls_of_callers as (

    select
        unknown_calls_at_sites.repo,
        unknown_calls_at_sites.path,
        unknown_calls_at_sites.file_id,
        unknown_calls_at_sites.call_id,
        unknown_calls_at_sites.unknown_reason,
        unknown_calls_at_sites.caller_id,
        unknown_calls_at_sites.line,
        unknown_calls_at_sites.name,
        callers.caller_name
    from unknown_calls_at_sites
    left join callers
        on unknown_calls_at_sites.caller_id = callers.caller_id

),

unknown_calls_by_name as (

    select
        repo,
        path,
        line,
        call_id,
        name,
        caller_id,
        caller_name,
        unknown_reason
    from unknown_calls_of_callers

)

select * from unknown_calls_by_name
