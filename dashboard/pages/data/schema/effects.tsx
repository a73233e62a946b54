/** Shows the effects of a changed schema before it is saved: contradictions, documents that break it, and changes that fit. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Control } from '../../../../client/control.js'
import type { CountedCollection } from '../../../../client/index.js'
import { isId } from '../../../../client/protocol/model/document.js'
import { counted, formatCount } from '../../../../client/protocol/model/figures.js'
import { parseJson } from '../../../../client/protocol/model/json.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { Copy } from '../../../parts/button.js'
import { shortId } from '../../../parts/columns.js'
import { useSession } from '../../../session/context.js'
import { tabPath } from '../collection-tabs.js'
import { formatTitle } from '../form/titles.js'
import type { Change } from './changes.js'
import type { Rules } from './collection-rules.js'

type Plan = Awaited<ReturnType<Control['schemas']['plan']>>
type Planned = Plan['changes'][number]

const typingMilliseconds = 300

/** Asks the emulator about settings that are not saved. Undefined until it has answered. */
export function usePlan({ id, name, updatedAt }: CountedCollection, value: Rules, isAsked: boolean): Plan | undefined {
  const { control, project } = useSession()
  const plan = useQuery({
    queryKey: ['schema plan', project.id, id, updatedAt, value],
    enabled: isAsked,
    staleTime: 0,
    // Documents may have been repaired in another tab.
    refetchOnWindowFocus: true,
    async queryFn({ signal }) {
      // Waits, because the emulator reads all documents.
      await new Promise((resolve) => setTimeout(resolve, typingMilliseconds))
      signal.throwIfAborted()
      return control.schemas.plan({ project: project.id, collection: name, ...value } as never)
    },
  })
  return isAsked ? plan.data : undefined
}

/** Lists the fields with a change that cannot be saved. */
export function findBlocked(plan: Plan | undefined): string[] {
  const blocked = (plan?.changes ?? []).filter(({ effect }) => effect === 'blocked')
  return [...new Set(blocked.map(({ fields }) => fields.join(', ')))]
}

interface EffectsProps {
  readonly collection: CountedCollection
  readonly changes: readonly Change[]
  readonly problems: ReadonlyMap<string, string>
  readonly plan: Plan | undefined
}

interface Box {
  readonly field: string
  readonly text: string
  readonly isStricter: boolean
  readonly isUnique: boolean
  /** Changes with documents that break them, or that are blocked. */
  readonly broken: readonly Planned[]
}

/** The worst first. */
const ranks = { bad: 0, warn: 1, good: 2 } as const

export function Effects({ collection, changes, problems, plan }: EffectsProps) {
  const fields = [...new Set(changes.map(({ field }) => field))].filter((field) => !problems.has(field))
  const boxes = fields.map((field) => toBox(field, changes, plan))
  if (boxes.length === 0 && problems.size === 0) {
    return <p className="padded dim">Nothing yet. What you change is listed here before you save it.</p>
  }
  return (
    <div className="effects">
      {[...problems].map(([field, text]) => (
        <div key={field} className="effect bad">
          <b>{field}: cannot be saved</b>
          <p>{text}</p>
        </div>
      ))}
      {boxes
        .map((box) => ({ box, look: findLook(box, plan !== undefined) }))
        .sort((one, other) => ranks[one.look] - ranks[other.look])
        .map(({ box, look }) => (
          <div key={box.field} className={`effect ${look}`}>
            <b>{[box.field, box.text].filter((part) => part !== '').join(': ')}</b>
            {box.broken.length === 0 ? <p>{describeBox(box, plan)}</p> : null}
            {box.broken.map((planned) => (
              <Broken key={planned.option} collection={collection} planned={planned} />
            ))}
          </div>
        ))}
    </div>
  )
}

function toBox(field: string, changes: readonly Change[], plan: Plan | undefined): Box {
  const own = changes.filter((each) => each.field === field)
  return {
    field,
    text: own.map(({ text }) => text).join(', '),
    isStricter: own.some((each) => each.isStricter),
    isUnique: own.some(({ option, isStricter }) => option === 'unique' && isStricter),
    broken: (plan?.changes ?? []).filter(({ fields, effect }) => fields.join(', ') === field && effect !== 'fits'),
  }
}

function findLook({ broken, isStricter }: Box, isPlanned: boolean): keyof typeof ranks {
  if (broken.some(({ effect }) => effect === 'blocked')) return 'bad'
  return broken.length > 0 || (isStricter && !isPlanned) ? 'warn' : 'good'
}

/** Until the emulator has answered, tells only what could happen. */
function describeBox({ isUnique, isStricter }: Box, plan: Plan | undefined): string {
  if (plan) return describeFit(plan.documentCount)
  if (isUnique) return 'Saving is refused if two stored documents have the same value.'
  return isStricter
    ? 'Applies to writes from then on. Stored documents stay as they are.'
    : 'Every stored document still fits.'
}

function describeFit(documents: number): string {
  if (documents === 0) return 'There are no documents yet.'
  return documents === 1 ? 'The only document fits.' : `All ${formatCount(documents)} documents fit.`
}

interface BrokenProps {
  readonly collection: CountedCollection
  readonly planned: Planned
}

/** Reads the titles of documents. Missing until loaded. */
function useTitles(collection: CountedCollection, ids: readonly string[]): ReadonlyMap<string, string> {
  const { owner, project } = useSession()
  const titles = useQuery({
    queryKey: ['titles', project.id, collection.id, collection.updatedAt, ids],
    queryFn: async () => {
      const { items } = await owner.collection(collection.name).list({ where: { id: { in: ids } }, count: false })
      return new Map(items.map((document) => [document.id, formatTitle(document, collection)]))
    },
  })
  return titles.data ?? noTitles
}

const noTitles: ReadonlyMap<string, string> = new Map()

function Broken({ collection, planned }: BrokenProps) {
  const { documents, repair } = planned
  const ids = documents.flatMap(({ id, holder }) => (holder === null ? [id] : [id, holder]))
  const titles = useTitles(collection, [...new Set(ids)])
  const link = (id: string) => (
    <Link className="link cut" title={id} href={`${tabPath(collection.name, 'documents')}/${id}`}>
      {titles.get(id) ?? shortId(id)}
    </Link>
  )
  const command = repair === null ? undefined : `svc ${repair.map(shellWord).join(' ')}`
  return (
    <>
      <p>{describeBroken(planned)}</p>
      {documents.map(({ id, value, problem, holder }) => (
        <div key={id} className="effect-line" title={problem}>
          {link(id)}
          {holder === null ? null : <span className="dim">as</span>}
          {holder === null ? null : link(holder)}
          <bdi className="mono cut">{value === null ? 'missing' : formatFound(value)}</bdi>
        </div>
      ))}
      {command === undefined ? null : (
        <div className="effect-line">
          <code className="mono cut grow" title={command}>
            {command}
          </code>
          <Copy text={command} />
        </div>
      )}
    </>
  )
}

/** Shortens ids. */
function formatFound(json: string): string {
  const value = parseJson(json)
  return typeof value === 'string' && isId(value) ? shortId(value) : json
}

function describeBroken({ effect, option, count, problem, fields }: Planned): string {
  const documents = counted(count, 'document')
  if (effect === 'blocked')
    return `Cannot be saved: ${problem ?? `${documents} ${count === 1 ? 'repeats' : 'repeat'} a value of an earlier one`}.`
  return `${documents} ${count === 1 ? 'breaks' : 'break'} "${option}". An update that sends ${fields.join()} has to fit.`
}
