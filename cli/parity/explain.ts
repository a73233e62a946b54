/** Finds the setting that makes the emulator answer as the service does. */
import { type Axis, axisNames, type Dialect, listForms } from '../../client/protocol/wire/axes.js'
import { formatDialect, parseDialect } from '../../client/protocol/wire/dialects.js'
import { canReach } from './axis-reach.js'
import type { ParityCase } from './case.js'
import { compareObservations } from './compare.js'
import { type Observation, runCase, type Stage } from './run-case.js'

/** A case that was asked at both sides. */
export interface Compared {
  readonly one: ParityCase
  readonly there: Observation
  readonly differs: boolean
}

export interface Advice {
  /** The dialect of the project with the changed axes. */
  readonly dialect: string
  /** The changed axes: `document=snake`. */
  readonly forms: readonly string[]
  /** By the id of a finding: the form that mends it, such as `document=snake`. */
  readonly mends: ReadonlyMap<string, string>
  /** Ids of the cases that are the same now and would differ with the advice. */
  readonly breaks: readonly string[]
}

type Choice = readonly [axis: Axis, form: string]

type IsMended = (choices: readonly Choice[], one: Compared) => Promise<boolean>

/** Tries other forms at the emulator, and combines those that make it agree with the service. */
export async function findAdvice(
  compared: readonly Compared[],
  stage: Stage,
  dialect: string,
): Promise<Advice | undefined> {
  const current = parseDialect(dialect)
  const known = new Map<string, boolean>()
  const isMended: IsMended = async (choices, compared) => {
    const asked = `${compared.one.id} ${choices.map(written).join(', ')}`
    const agrees = known.get(asked) ?? (await isMendedBy(choices, compared, stage, current))
    known.set(asked, agrees)
    return agrees
  }
  const findings = compared.filter(({ differs }) => differs)
  const ofAxes = await chooseByAxis(compared, current, isMended)
  const found = await chooseForRest(findings, { current, ofAxes, isMended })
  const { choices, broken } = await dropHarmful(found, compared, isMended)
  if (choices.length === 0) return undefined
  const mends = new Map<string, string>()
  for (const finding of findings) {
    if (!(await isMended(choices, finding))) continue
    const near = choices.filter(([axis]) => canReach(axis, finding.one))
    const own = near.find(([axis]) => axis === finding.one.axis) ?? (near.length === 1 ? near[0] : undefined)
    const cause = own ?? (await firstMending(near, (choice) => isMended([choice], finding)))
    mends.set(finding.one.id, (cause ? [cause] : choices).map(written).join(', '))
  }
  const forms = choices.map(written)
  const breaks = broken.map(({ one }) => one.id)
  return { dialect: formatDialect(parseDialect(forms.join(', '), current)), forms, mends, breaks }
}

/**
 * Chooses for each axis the form that agrees with the service in most cases of the axis, those that are the same now included:
 * a form that fixes one filter may break others. Starts with the cases that differ, since most forms fix none of them.
 */
async function chooseByAxis(
  compared: readonly Compared[],
  current: Dialect,
  isMended: IsMended,
): Promise<readonly Choice[]> {
  const choices: Choice[] = []
  for (const axis of axisNames()) {
    const cases = compared.filter(({ one }) => one.axis === axis)
    const findings = cases.filter(({ differs }) => differs)
    const same = cases.filter(({ differs }) => !differs)
    const all = [...findings, ...same]
    let best: string | undefined
    // On top of the forms chosen so far, because one axis may hide another.
    const isHidden = (one: Compared) => isMended(choices, one)
    let most = same.length + (choices.length === 0 ? 0 : await countAbove(0, findings, isHidden))
    for (const [, form] of listOtherForms(axis, current)) {
      if (most === all.length) break
      const agreeing = await countAbove(most, all, (one) => isMended([...choices, [axis, form]], one))
      if (agreeing > most) [best, most] = [form, agreeing]
    }
    if (best !== undefined) choices.push([axis, best])
  }
  return choices
}

interface Rest {
  readonly current: Dialect
  readonly ofAxes: readonly Choice[]
  readonly isMended: IsMended
}

/** Adds the first form that mends a finding of a subject without an axis. */
async function chooseForRest(findings: readonly Compared[], { current, ofAxes, isMended }: Rest): Promise<Choice[]> {
  const choices = [...ofAxes]
  for (const finding of findings) {
    if (ofAxes.some(([axis]) => axis === finding.one.axis)) continue
    if (choices.length > 0 && (await isMended(choices, finding))) continue
    const isOpen = (axis: Axis) => !choices.some(([name]) => name === axis) && canReach(axis, finding.one)
    const open = axisNames().filter(isOpen)
    const others = open.flatMap((axis) => listOtherForms(axis, current))
    const choice = await firstMending(others, (choice) => isMended([choice], finding))
    if (choice) choices.push(choice)
  }
  return choices
}

interface Kept {
  readonly choices: readonly Choice[]
  /** Cases that are the same without the choices, and differ with them. */
  readonly broken: readonly Compared[]
}

/** Drops one by one the choices that break at least as many cases as they mend. */
async function dropHarmful(
  choices: readonly Choice[],
  compared: readonly Compared[],
  isMended: IsMended,
): Promise<Kept> {
  if (choices.length === 0) return { choices, broken: [] }
  const isReached = ({ one }: Compared) => choices.some(([axis]) => canReach(axis, one))
  const mended: Compared[] = []
  const broken: Compared[] = []
  for (const one of compared.filter(isReached)) {
    const agrees = await isMended(choices, one)
    if (agrees && one.differs) mended.push(one)
    if (!agrees && !one.differs) broken.push(one)
  }
  if (broken.length === 0) return { choices, broken }
  for (const choice of choices) {
    const rest = choices.filter((other) => other !== choice)
    const agrees = (one: Compared) => (rest.length === 0 ? !one.differs : isMended(rest, one))
    const lost = mended.length - (await countAbove(-1, mended, agrees))
    if (lost <= (await countAbove(lost - 1, broken, agrees))) return dropHarmful(rest, compared, isMended)
  }
  return { choices, broken }
}

/** Lists the other forms of an axis. */
function listOtherForms(axis: Axis, current: Dialect): Choice[] {
  return listForms(axis).flatMap((form) => (current[axis] === form ? [] : [[axis, String(form)] as const]))
}

function written(choice: Choice): string {
  return choice.join('=')
}

async function firstMending(
  choices: readonly Choice[],
  mends: (choice: Choice) => Promise<boolean>,
): Promise<Choice | undefined> {
  for (const choice of choices) if (await mends(choice)) return choice
  return undefined
}

/** Counts the cases that agree. Ends with 0 once they cannot be more than `most`. */
async function countAbove(
  most: number,
  cases: readonly Compared[],
  agrees: (one: Compared) => boolean | Promise<boolean>,
): Promise<number> {
  let number = 0
  for (const [at, one] of cases.entries()) {
    if (number + cases.length - at <= most) return 0
    if (await agrees(one)) number++
  }
  return number
}

async function isMendedBy(
  choices: readonly Choice[],
  { one, there }: Compared,
  stage: Stage,
  current: Dialect,
): Promise<boolean> {
  const tried = formatDialect(parseDialect(choices.map(written).join(', '), current))
  const here = await runCase(one, stage, { dialect: tried })
  return compareObservations(one, here, there) === undefined
}
