import { expect, test } from 'vitest'
import type { Document } from '../../../../client/index.js'
import type { Draft } from '../../../session/drafts.js'
import { type Editing, type EditingEvent, nextEditing } from './editing.js'

const draft: Draft = { text: '{}', version: 1, base: {} }
const newer: Draft = { ...draft, text: '{"a":1}' }
const conflict = { base: {}, mine: {}, theirs: {} as Document }
const failure = new Error('refused')

const steps: readonly (readonly [string, Editing, EditingEvent, Editing])[] = [
  ['typing begins a draft', { kind: 'idle' }, { kind: 'typed', draft }, { kind: 'idle', draft }],
  [
    'typing takes a failure away',
    { kind: 'failed', draft, failure },
    { kind: 'typed', draft },
    { kind: 'idle', draft },
  ],
  [
    'typing goes on while it is saved',
    { kind: 'saving', draft },
    { kind: 'typed', draft: newer },
    { kind: 'saving', draft: newer },
  ],
  ['a save keeps the draft until it is done', { kind: 'idle', draft }, { kind: 'begun' }, { kind: 'saving', draft }],
  [
    'a save in a conflict keeps showing it',
    { kind: 'conflicting', draft, conflict },
    { kind: 'begun' },
    { kind: 'saving', draft, conflict },
  ],
  ['a save ends the draft', { kind: 'saving', draft }, { kind: 'saved' }, { kind: 'idle' }],
  [
    'what was typed meanwhile outlives the save',
    { kind: 'saving', draft: newer },
    { kind: 'saved', draft: newer },
    { kind: 'idle', draft: newer },
  ],
  [
    'a refusal in a conflict keeps both',
    { kind: 'saving', draft, conflict },
    { kind: 'refused', failure },
    { kind: 'failed', draft, conflict, failure },
  ],
  [
    'somebody else was first',
    { kind: 'saving', draft },
    { kind: 'overtaken', conflict },
    { kind: 'conflicting', draft, conflict },
  ],
  ['discarding leaves nothing', { kind: 'failed', draft, conflict, failure }, { kind: 'discarded' }, { kind: 'idle' }],
  ['discarding ends no save', { kind: 'saving', draft, conflict }, { kind: 'discarded' }, { kind: 'saving' }],
]

test.each(steps)('%s', (_words, before, event, after) => {
  expect(nextEditing(before, event)).toEqual(after)
})
