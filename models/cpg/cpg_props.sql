-- Generated from python_hooks/codelake/semantic/catalog/props.py, digest 61d6880f.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

props_of_cpg_nodes as (

    select
        repo,
        path,
        file_id,
        node_id,
        found.prop,
        found.str_value
    from cpg_nodes
        lateral view explode(array(
            -- node_kind_props
            case
                when node_kind is not null
                    then struct('node_kind' as prop, coalesce(node_kind, '') as str_value)
            end,
            -- syntax_props
            case
                when syntax is not null
                    then struct('syntax' as prop, coalesce(syntax, '') as str_value)
            end,
            -- node_name_props
            case
                when name is not null
                    then struct('node_name' as prop, coalesce(name, '') as str_value)
            end,
            -- qualified_name_props
            case
                when qualified_name is not null
                    then struct('qualified_name' as prop, coalesce(qualified_name, '') as str_value)
            end,
            -- origin_props
            case
                when origin is not null
                    then struct('origin' as prop, coalesce(origin, '') as str_value)
            end
        )) branches as found
    where found is not null

),

nodes_with_attributes as (

    select
        repo,
        path,
        file_id,
        node_id,
        map_entries(attrs) as entries
    from cpg_nodes
    where attrs is not null

),

attribute_props as (

    select
        repo,
        path,
        file_id,
        node_id,
        entry.key as prop,
        coalesce(entry.value, '') as str_value
    from nodes_with_attributes
        lateral view explode(entries) attributes_exploded as entry
    where entry.value is not null

),

props as (

    select * from props_of_cpg_nodes

    union all

    select * from attribute_props

)

select * from props
