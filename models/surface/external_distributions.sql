-- Generated from python_hooks/codelake/semantic/catalog/support.py, digest 5b1f5eaa.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

python_external_interfaces as (

    select * from {{ ref('python_external_interfaces') }}

),

externals as (

    select
        node_id,
        coalesce(qualified_name, '') as qualified_name,
        substring_index(coalesce(qualified_name, ''), '.', 1) as top_name
    from cpg_nodes
    where node_kind = 'EXTERNAL'

),

interfaces as (

    select
        substring_index(name, '.', 1) as module_top,
        status,
        dist_name,
        dist_version
    from python_external_interfaces
    where rank = 1 and status != 'unknown'

),

distributions_of_top_names as (

    select
        module_top,
        min(status) as status,
        min(dist_name) as dist_name,
        min(dist_version) as dist_version,
        max(dist_name) as last_name
    from interfaces
    group by module_top

),

externals_with_distributions as (

    select
        externals.node_id,
        externals.qualified_name,
        externals.top_name,
        distributions_of_top_names.status,
        distributions_of_top_names.dist_name,
        distributions_of_top_names.dist_version,
        distributions_of_top_names.last_name
    from externals
    left join distributions_of_top_names
        on externals.top_name = distributions_of_top_names.module_top

),

distributions_of_externals as (

    select
        node_id,
        qualified_name,
        coalesce(status, if(top_name = 'builtins', 'stdlib', 'unknown')) as status,
        if(dist_name = last_name, dist_name, null) as dist_name,
        if(dist_name = last_name, dist_version, null) as dist_version
    from externals_with_distributions

)

select * from distributions_of_externals
