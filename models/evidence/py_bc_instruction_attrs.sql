-- Generated from python_hooks/codelake/semantic/catalog/bytecode.py, digest 677b6210.
-- Do not edit: run `codelake compile`.
with

py_bc_instructions as (

    select * from {{ ref('py_bc_instructions') }}

),

attributes as (

    select
        repo,
        path,
        file_id,
        instr_id,
        found.attr,
        found.attr_kind,
        found.int_value,
        found.double_value,
        found.str_value,
        found.bool_value
    from py_bc_instructions
        lateral view explode(array(
            -- arguments
            case
                when arg is not null
                    then struct(
                        'argument' as attr,
                        case
                            when arg_bool is not null then 'bool'
                            when arg_double is not null then 'double'
                            when arg_str is not null then 'str'
                            else 'int'
                        end as attr_kind,
                        case
                            when arg_bool is null and arg_double is null and arg_str is null
                                then coalesce(arg_int, cast(arg as bigint))
                        end as int_value,
                        arg_double as double_value,
                        arg_str as str_value,
                        arg_bool as bool_value
                    )
            end,
            -- argument2s
            case
                when arg_str2 is not null
                    then struct(
                        'argument2' as attr,
                        'str' as attr_kind,
                        cast(null as bigint) as int_value,
                        cast(null as double) as double_value,
                        arg_str2 as str_value,
                        cast(null as boolean) as bool_value
                    )
            end,
            -- jump_targets
            case
                when jump_target is not null
                    then struct(
                        'jump_target' as attr,
                        'int' as attr_kind,
                        cast(jump_target as bigint) as int_value,
                        cast(null as double) as double_value,
                        cast(null as string) as str_value,
                        cast(null as boolean) as bool_value
                    )
            end,
            -- stack_depths
            case
                when stack_depth is not null
                    then struct(
                        'stack_depth' as attr,
                        'int' as attr_kind,
                        cast(stack_depth as bigint) as int_value,
                        cast(null as double) as double_value,
                        cast(null as string) as str_value,
                        cast(null as boolean) as bool_value
                    )
            end
        )) branches as found
    where found is not null

)

select * from attributes
