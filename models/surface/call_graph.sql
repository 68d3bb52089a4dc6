-- Generated from python_hooks/codelake/semantic/catalog/surface.py, digest 3cdbf8a2.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

call_targets as (

    select
        src_node_id as call_id,
        dst_node_id as callee_id,
        if(label = '', 'explicit', label) as call_kind,
        method,
        confidence,
        rank
    from cpg_edges
    where edge_kind = 'CALLS'

),

called_names as (

    select
        src_node_id as call_id,
        dst_node_id as called_id
    from cpg_edges
    where edge_kind = 'AST' and label = 'func'

),

decorated_names as (

    select
        src_node_id as func_id,
        dst_node_id as callee_id,
        method,
        confidence,
        rank
    from cpg_edges
    where edge_kind = 'REFERS_TO' and label = 'decorated'

),

calls_of_decorated as (

    select
        called_names.call_id,
        called_names.called_id,
        decorated_names.callee_id,
        decorated_names.method,
        decorated_names.confidence,
        decorated_names.rank
    from called_names
    inner join decorated_names
        on called_names.called_id = decorated_names.func_id

),

-- the call runs what a decorator made of the callee
decorated_calls as (

    select
        call_id,
        callee_id,
        'decorated' as call_kind,
        method,
        confidence,
        rank
    from calls_of_decorated

),

call_edges as (

    select * from call_targets

    union all

    select * from decorated_calls

),

call_sites as (

    select
        node_id as call_id,
        owner_id as caller_id,
        repo,
        path,
        line
    from cpg_nodes

),

calls_at_sites as (

    select
        call_edges.call_id,
        call_edges.callee_id,
        call_edges.call_kind,
        call_edges.method,
        call_edges.confidence,
        call_edges.rank,
        call_sites.caller_id,
        call_sites.repo,
        call_sites.path,
        call_sites.line
    from call_edges
    inner join call_sites
        on call_edges.call_id = call_sites.call_id

),

callers as (

    select
        node_id as caller_id,
        qualified_name as caller_name
    from cpg_nodes

),

calls_of_callers as (

    select
        calls_at_sites.call_id,
        calls_at_sites.callee_id,
        calls_at_sites.call_kind,
        calls_at_sites.method,
        calls_at_sites.confidence,
        calls_at_sites.rank,
        calls_at_sites.caller_id,
        calls_at_sites.repo,
        calls_at_sites.path,
        calls_at_sites.line,
        callers.caller_name
    from calls_at_sites
    inner join callers
        on calls_at_sites.caller_id = callers.caller_id

),

callees as (

    select
        node_id as callee_id,
        qualified_name as callee_name,
        node_kind as callee_kind
    from cpg_nodes

),

calls_to_callees as (

    select
        calls_of_callers.call_id,
        calls_of_callers.callee_id,
        calls_of_callers.call_kind,
        calls_of_callers.method,
        calls_of_callers.confidence,
        calls_of_callers.rank,
        calls_of_callers.caller_id,
        calls_of_callers.repo,
        calls_of_callers.path,
        calls_of_callers.line,
        calls_of_callers.caller_name,
        callees.callee_name,
        callees.callee_kind
    from calls_of_callers
    inner join callees
        on calls_of_callers.callee_id = callees.callee_id

),

calls_by_name as (

    select
        repo,
        path,
        line,
        caller_id,
        caller_name,
        call_id,
        callee_id,
        callee_name,
        callee_kind,
        call_kind,
        method,
        confidence,
        rank
    from calls_to_callees

)

select * from calls_by_name
