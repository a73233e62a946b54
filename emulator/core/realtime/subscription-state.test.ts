import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainError } from '../../../client/protocol/model/error-words.js'
import type { RecordedDocumentChange } from '../../store/realtime/changes.js'
import {
  after,
  type Effect,
  type Sight,
  type SubscriptionEvents,
  type SubscriptionState,
} from './subscription-state.js'

type Happening = {
  [Name in keyof SubscriptionEvents]: { name: Name; event: SubscriptionEvents[Name] }
}[keyof SubscriptionEvents]

/** Rights that differ in the only creator whose documents count. */
function sightOf(creator: string | undefined, isLive = true): Sight {
  return {
    ...{ kindOf: ({ kind }) => kind, mayShow: () => true, watched: undefined, isLive },
    open: { where: { all: [] }, creator, part: undefined, hidden: [] },
    collection: { name: creator ?? 'all' } as Sight['collection'],
  }
}

const someChange = { kind: 'created', seq: 1, before: null } as RecordedDocumentChange
const links = new Map()
const someSight = fc.constantFrom(sightOf(undefined), sightOf('ada'), sightOf('bob'))
const afterBeginning: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant({ name: 'changed', event: { change: someChange, links } } as const),
  fc
    .constantFrom('reset', 'collection')
    .map((kind) => ({ name: 'changed', event: { change: { kind, seq: 2, collection: 'c' }, links } }) as Happening),
  fc.constantFrom('missed', 'caughtUp', 'membersChanged').map((name) => ({ name, event: {} }) as Happening),
  fc.nat(9).map((seq) => ({ name: 'live', event: { seq } }) as const),
  someSight.map((sight) => ({ name: 'permitted', event: { sight } }) as const),
)
const ending: fc.Arbitrary<Happening> = fc.constantFrom<Happening>(
  { name: 'left', event: {} },
  { name: 'refused', event: { why: plainError('FORBIDDEN') } },
)
/** All that happens to a subscription, in an order in which the feed and the reviews may report it. */
const someStory = fc
  .record({
    start: fc.record({ sight: someSight, isFromStart: fc.boolean() }),
    early: fc.array(fc.constant<Happening>({ name: 'membersChanged', event: {} }), { maxLength: 2 }),
    begun: fc.record({ isWhole: fc.boolean(), isReplayed: fc.boolean() }),
    later: fc.array(afterBeginning, { maxLength: 8 }),
    end: fc.option(ending, { nil: undefined }),
    late: fc.array(fc.oneof(afterBeginning, ending), { maxLength: 3 }),
  })
  // A subscription from the first change is always a replay.
  .map((story) => (story.start.isFromStart ? { ...story, begun: { ...story.begun, isReplayed: true } } : story))
type Story = typeof someStory extends fc.Arbitrary<infer Value> ? Value : never

interface Told {
  readonly happening: Happening
  readonly before: SubscriptionState
  readonly effects: readonly Effect[]
}

function tell({ start, early, begun, later, end, late }: Story): readonly Told[] {
  const happenings: Happening[] = [...early, { name: 'begun', event: begun }, ...later, ...(end ? [end, ...late] : [])]
  let state: SubscriptionState = { is: 'joining', isStale: false, ...start }
  return happenings.map((happening) => {
    const before = state
    const step = after(state, happening.name, happening.event)
    state = step.state
    return { happening, before, effects: step.effects }
  })
}

const did = (told: readonly Told[]) => told.flatMap(({ effects }) => effects.map((effect) => effect.do))
const always = (holds: (told: readonly Told[], story: Story) => void) =>
  fc.assert(
    fc.property(someStory, (story) => holds(tell(story), story)),
    { numRuns: 500 },
  )

describe('Whatever happens to a subscription', () => {
  it('1. begins first, and once', () => {
    always((told) => {
      expect(did(told).indexOf('begin')).toBe(0)
      expect(did(told).filter((one) => one === 'begin')).toHaveLength(1)
    })
  })

  it('2. does nothing after its end', () => {
    always((told, { end }) => {
      const at = told.findIndex(({ happening }) => happening === end)
      const last = end?.name === 'refused' ? ['leave', 'end'] : ['leave']
      if (end) expect(did(told.slice(at))).toEqual(last)
      else expect(did(told)).not.toContain('leave')
    })
  })

  it('3. shows each change with the rights of the last review', () => {
    always((told, { start }) => {
      let { sight } = start
      for (const { happening, effects, before } of told) {
        const shown = effects.find((effect) => effect.do === 'show')
        if (shown) expect(shown.collection).toBe(sight.collection)
        if (happening.name === 'permitted' && before.is !== 'over') sight = happening.event.sight
      }
    })
  })

  it('4. says when changes may be missing, or the permissions of a live view have changed', () => {
    always((told, { early, begun }) => {
      for (const { happening, before, effects } of told) {
        if (before.is === 'over' || before.is === 'joining') continue
        const isOther =
          happening.name === 'permitted' && happening.event.sight.open.creator !== before.sight.open.creator
        const isLost = isOther || happening.name === 'missed' || happening.name === 'membersChanged'
        if (isLost) expect(effects.map((effect) => effect.do)).toContain('resync')
      }
      const first = told[early.length]?.effects.map((effect) => effect.do)
      const resyncs = [!begun.isWhole, early.length > 0].filter(Boolean).map(() => 'resync')
      expect(first).toEqual(['begin', ...resyncs])
    })
  })

  it('5. does not reload after a reset if it has received nothing of a replay from the first change', () => {
    always((told) => {
      for (const { happening, before, effects } of told) {
        if (happening.name !== 'changed' || happening.event.change.kind !== 'reset') continue
        const wanted = { empty: ['review'], receiving: ['resync', 'review'], joining: [], over: [] }[before.is]
        expect(effects.map((effect) => effect.do)).toEqual(wanted)
      }
    })
  })

  it('6. is announced as live after a replay only', () => {
    always((told, { begun }) => {
      const lives = told.filter(({ happening, before }) => happening.name === 'live' && before.is !== 'over')
      const announced = did(told).filter((one) => one === 'announce')
      expect(announced).toHaveLength(begun.isReplayed ? lives.length : 0)
    })
  })

  it('leaves a view that is not live alone when permissions change', () => {
    const sight = sightOf(undefined, false)
    const state = { is: 'receiving', sight, isReplayed: false } as const

    const { effects } = after(state, 'permitted', { sight: sightOf('ada', false) })

    expect(effects.map((effect) => effect.do)).toEqual(['follow'])
  })
})
