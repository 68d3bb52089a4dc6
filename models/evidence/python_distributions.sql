-- Generated from python_hooks/codelake/semantic/catalog/repositories.py, digest 3f4ce3c2.
-- Do not edit: run `codelake compile`.
with

evidence_repositories as (

    select * from {{ ref('evidence_repositories') }}

),

distributions_of_evidence_repositories as (

    select
        repo,
        repository_id,
        distributions
    from evidence_repositories

),

python_distributions_seen as (

    select
        repo,
        repository_id,
        distribution.source,
        distribution.name,
        distribution.version,
        distribution.modules
    from distributions_of_evidence_repositories
        lateral view explode(distributions) distributions_exploded as distribution

)

select * from python_distributions_seen
