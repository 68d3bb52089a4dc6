-- Generated from python_hooks/codelake/semantic/catalog/surface_values.py, digest 5bb8a253.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

along_edges as (

    select
        repo,
        path,
        src_node_id,
        dst_node_id,
        case
            when edge_kind = 'REACHES' then 'name'
            when edge_kind = 'PASSES' then 'argument'
            else 'result'
        end as flow_step
    from cpg_edges
    where edge_kind in ('REACHES', 'PASSES', 'RESULT_OF')

),

value_steps_of_resolved_links as (

    select
        repo,
        path,
        found.src_node_id,
        found.dst_node_id,
        'field' as flow_step
    from resolved_links
        lateral view explode(array(
            -- into_fields
            case
                when kind = 'WRITES_FIELD'
                    then struct(src_node_id as src_node_id, dst_node_id as dst_node_id)
            end,
            -- out_of_fields
            case
                when kind = 'READS_FIELD'
                    then struct(dst_node_id as src_node_id, src_node_id as dst_node_id)
            end
        )) branches as found
    where found is not null

),

value_steps_of_ast_nodes as (

    select
        repo,
        path,
        found.src_node_id,
        found.dst_node_id,
        found.flow_step
    from ast_nodes
        lateral view explode(array(
            -- into_operations
            case
                when
                    parent_id is not null
                    and parent_syntax in ('BinOp', 'UnaryOp', 'BoolOp', 'Starred', 'Await')
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'part' as flow_step
                    )
            end,
            -- into_texts
            case
                when parent_id is not null and parent_syntax in ('JoinedStr', 'FormattedValue')
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'part' as flow_step
                    )
            end,
            -- into_displays
            case
                when parent_id is not null and parent_syntax in ('List', 'Tuple', 'Set', 'Dict')
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'part' as flow_step
                    )
            end,
            -- into_comprehensions
            case
                when
                    parent_id is not null
                    and parent_syntax in ('ListComp', 'SetComp', 'DictComp', 'GeneratorExp')
                    and slot != 'generators'
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'part' as flow_step
                    )
            end,
            -- choices
            case
                when parent_id is not null and parent_syntax = 'IfExp' and slot != 'test'
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'choice' as flow_step
                    )
            end,
            -- out_of_objects
            case
                when
                    parent_id is not null
                    and parent_syntax in ('Attribute', 'Subscript')
                    and slot = 'value'
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'part' as flow_step
                    )
            end,
            -- into_assignments
            case
                when
                    parent_id is not null
                    and parent_syntax in ('Assign', 'AnnAssign', 'AugAssign', 'NamedExpr')
                    and slot = 'value'
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'assigned' as flow_step
                    )
            end,
            -- out_of_assignments
            case
                when
                    parent_id is not null
                    and parent_syntax in ('Assign', 'AnnAssign', 'AugAssign', 'NamedExpr')
                    and startswith(slot, 'target')
                    then struct(
                        coalesce(parent_id, node_id) as src_node_id,
                        node_id as dst_node_id,
                        'assigned' as flow_step
                    )
            end,
            -- into_loops
            case
                when
                    parent_id is not null
                    and parent_syntax in ('For', 'AsyncFor', 'withitem')
                    and slot in ('iter', 'context_expr')
                    then struct(
                        node_id as src_node_id,
                        coalesce(parent_id, node_id) as dst_node_id,
                        'assigned' as flow_step
                    )
            end,
            -- out_of_loops
            case
                when
                    parent_id is not null
                    and parent_syntax in ('For', 'AsyncFor', 'withitem')
                    and slot in ('target', 'optional_vars')
                    then struct(
                        coalesce(parent_id, node_id) as src_node_id,
                        node_id as dst_node_id,
                        'assigned' as flow_step
                    )
            end
        )) branches as found
    where found is not null

),

value_steps as (

    select * from along_edges

    union all

    select * from value_steps_of_resolved_links

    union all

    select * from value_steps_of_ast_nodes

)

select * from value_steps
