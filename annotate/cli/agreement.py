"""The command that says how far annotators agree."""

import argparse
from dataclasses import asdict

from annotate.cli.frame.common import Commands, Result
from annotate.evaluation.metric_labels import interval_text
from annotate.project.home import read
from annotate.project.words import count_of
from annotate.team.adjudication import Disputes, disputes
from annotate.team.agreement import Team, team_agreement
from model.agreement import Coefficient


def _agreement(options: argparse.Namespace) -> Result:
    with read() as session:
        team = team_agreement(session, imported=not options.without_imported)
        disputed = disputes(session)
    result = {
        "units": team.overall.units,
        "articles": team.overall.articles,
        **{name: asdict(value) for name, value in _coefficients(team).items()},
        "handed_out_share": team.handed,
        "left_out_as_not_blind": team.late,
        "unsure": {name: {"unsure": number, "of": of} for name, (number, of) in team.unsure.items()},
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "low": pair.low,
                "units": pair.found.units,
                "articles": pair.found.articles,
                "table": [list(row) for row in pair.found.table],
                "cohen_kappa": asdict(pair.found.cohen),
                "positive_agreement": asdict(pair.found.positive),
            }
            for pair in team.pairs
        ],
        "low_articles": [
            {
                "article_id": article.article_id,
                "title": article.title,
                "units": article.units,
                "differing": article.differing,
                "krippendorff_alpha": article.alpha,
            }
            for article in team.articles
            if article.low
        ],
        "disputed_sentences": sum(disputed.by_article.values()),
        "disputed_articles": len(disputed.by_article),
        "disputed_articles_at_work": len(disputed.at_work),
    }
    return result | {"text": _text(team, disputed)}


def _coefficients(team: Team) -> dict[str, Coefficient]:
    of = team.overall
    return {
        "krippendorff_alpha": of.alpha,
        "fleiss_kappa": of.fleiss,
        "percent_agreement": of.percent,
        "positive_agreement": of.positive,
    }


def _text(team: Team, disputed: Disputes) -> str:
    of = team.overall
    lines = [f"{count_of(of.units, 'sentence')} of {count_of(of.articles, 'article')} with labels of two or more"]
    lines += [f"{name.replace('_', ' '):22}{_with_interval(value)}" for name, value in _coefficients(team).items()]
    lines += [
        f"{f'{pair.first} and {pair.second}':22} "
        f"kappa {_with_interval(pair.found.cohen)}, {count_of(pair.found.units, 'sentence')}"
        + (", low" if pair.low else "")
        for pair in team.pairs
    ]
    lines += [
        f"low: article {row.article_id}, alpha {row.alpha:.3f}, {row.differing} of {row.units} differ: {row.title}"
        for row in team.articles
        if row.low
    ]
    if team.late:
        lines.append(
            f"left out as not blind, since given after the others' were shown: {count_of(team.late, 'verdict')}"
        )
    lines.append(disputed.words)
    return "\n".join(lines)


def _with_interval(found: Coefficient) -> str:
    return interval_text(found.value, found.low, found.high, none="undefined")


def add_commands(commands: Commands) -> None:
    """Registers the command `agreement` with the parser."""
    added = commands.add("agreement", _agreement)
    added.add_argument("--without-imported", action="store_true", help="leave out annotators of imported labels")
