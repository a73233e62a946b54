/** Finds the setting that makes the emulator answer as the service does. */
import { type Axis, axisNames, listForms } from '../../client/protocol/wire/axes.js'
import { formatDialect, parseDialect } from '../../client/protocol/wire/dialects.js'
import type { ParityCase } from './case.js'
import { compareObservations } from './compare.js'
import { type Observation, runCase, type Stage } from './run-case.js'

export interface Unexplained {
  readonly one: ParityCase
  readonly there: Observation
}

export interface Advice {
  /** The dialect of the project with the changed axes. */
  readonly dialect: string
  /** The changed axes: `document=snake`. */
  readonly forms: readonly string[]
  /** Ids of the findings that it mends. */
  readonly mends: readonly string[]
}

type Choice = readonly [axis: Axis, form: string]

/** Tries other forms at the emulator. The first that makes a case equal is the advice for its axis. */
export async function findAdvice(
  findings: readonly Unexplained[],
  stage: Stage,
  dialect: string,
): Promise<Advice | undefined> {
  const choices = new Map<Axis, string>()
  for (const finding of findings) {
    const known = [...choices].filter(([axis]) => axis === finding.one.axis)
    if (known.length > 0 && (await isMendedBy(known, finding, stage, dialect))) continue
    const choice = await firstMending(finding, stage, dialect)
    if (choice && !choices.has(choice[0])) choices.set(...choice)
  }
  if (choices.size === 0) return undefined
  const mends: string[] = []
  for (const finding of findings) {
    if (await isMendedBy([...choices], finding, stage, dialect)) mends.push(finding.one.id)
  }
  const forms = [...choices].map((choice) => choice.join('='))
  return { dialect: formatDialect(parseDialect(forms.join(', '), parseDialect(dialect))), forms, mends }
}

/** Tries the axis of the case first, then all others. */
async function firstMending(finding: Unexplained, stage: Stage, dialect: string): Promise<Choice | undefined> {
  const names = axisNames()
  const first = names.filter((axis) => axis === finding.one.axis)
  const current = parseDialect(dialect)
  for (const axis of [...first, ...names.filter((name) => name !== finding.one.axis)]) {
    for (const form of listForms(axis)) {
      if (current[axis] === form) continue
      const choice = [axis, String(form)] as const
      if (await isMendedBy([choice], finding, stage, dialect)) return choice
    }
  }
  return undefined
}

async function isMendedBy(
  choices: readonly Choice[],
  { one, there }: Unexplained,
  stage: Stage,
  dialect: string,
): Promise<boolean> {
  const asked = [...choices.map((choice) => choice.join('='))].join(', ')
  const tried = formatDialect(parseDialect(asked, parseDialect(dialect)))
  const here = await runCase(one, stage, { dialect: tried })
  return compareObservations(one, here, there) === undefined
}
