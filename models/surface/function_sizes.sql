-- Generated from python_hooks/codelake/semantic/catalog/surface_definitions.py, digest 81b50ea1.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

flow_units as (

    select * from {{ ref('flow_units') }}

),

functions as (

    select
        repo,
        path,
        line,
        node_id,
        qualified_name,
        end_line - line + 1 as line_count
    from cpg_nodes
    where node_kind in ('FUNCTION', 'LAMBDA')

),

functions_with_branches as (

    select
        functions.repo,
        functions.path,
        functions.line,
        functions.node_id,
        functions.qualified_name,
        functions.line_count,
        flow_units.branches
    from functions
    left join flow_units
        on functions.node_id = flow_units.unit_id

),

calls as (

    select
        coalesce(owner_id, node_id) as owner_id,
        node_id
    from cpg_nodes
    where node_kind = 'CALL'

),

calls_counted as (

    select
        owner_id,
        count(*) as call_total
    from calls
    group by owner_id

),

functions_with_calls as (

    select
        functions_with_branches.repo,
        functions_with_branches.path,
        functions_with_branches.line,
        functions_with_branches.node_id,
        functions_with_branches.qualified_name,
        functions_with_branches.line_count,
        functions_with_branches.branches,
        calls_counted.call_total
    from functions_with_branches
    left join calls_counted
        on functions_with_branches.node_id = calls_counted.owner_id

),

parameters as (

    select
        coalesce(owner_id, node_id) as owner_id,
        node_id
    from cpg_nodes
    where node_kind = 'PARAMETER'

),

parameters_counted as (

    select
        owner_id,
        count(*) as parameter_total
    from parameters
    group by owner_id

),

functions_with_parameters as (

    select
        functions_with_calls.repo,
        functions_with_calls.path,
        functions_with_calls.line,
        functions_with_calls.node_id,
        functions_with_calls.qualified_name,
        functions_with_calls.line_count,
        functions_with_calls.branches,
        functions_with_calls.call_total,
        parameters_counted.parameter_total
    from functions_with_calls
    left join parameters_counted
        on functions_with_calls.node_id = parameters_counted.owner_id

),

functions_measured as (

    select
        repo,
        path,
        line,
        node_id,
        qualified_name,
        line_count,
        coalesce(parameter_total, 0) as parameter_count,
        coalesce(call_total, 0) as call_count,
        branches + 1 as complexity
    from functions_with_parameters

)

select * from functions_measured
