-- Generated from python_hooks/codelake/semantic/catalog/quality.py, digest faaf919f.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

call_edges as (

    select
        repo,
        path,
        src_node_id as node_id
    from cpg_edges
    where edge_kind = 'CALLS' and label = ''

),

candidates_of_calls as (

    select
        repo,
        path,
        node_id,
        count(*) as candidate_count
    from call_edges
    group by
        repo,
        path,
        node_id

),

calls_by_candidates as (

    select
        repo,
        candidate_count,
        count(*) as call_count
    from candidates_of_calls
    group by
        repo,
        candidate_count

)

select * from calls_by_candidates
