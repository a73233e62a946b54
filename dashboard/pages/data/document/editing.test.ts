import { expect, test } from 'vitest'
import type { Document } from '../../../../client/index.js'
import type { Draft } from '../../../session/drafts.js'
import { type Editing, type EditingEvent, nextEditing } from './editing.js'

const draft: Draft = { text: '{}', version: 1, base: {} }
const newer: Draft = { ...draft, text: '{"a":1}' }
const conflict = { base: {}, mine: {}, theirs: {} as Document }
const failure = new Error('refused')

const steps: readonly (readonly [string, Editing, EditingEvent, Editing])[] = [
  ['starts a draft on typing', { kind: 'idle' }, { kind: 'typed', draft }, { kind: 'idle', draft }],
  ['clears a failure on typing', { kind: 'failed', draft, failure }, { kind: 'typed', draft }, { kind: 'idle', draft }],
  [
    'allows typing while saving',
    { kind: 'saving', draft },
    { kind: 'typed', draft: newer },
    { kind: 'saving', draft: newer },
  ],
  ['keeps the draft until the save is done', { kind: 'idle', draft }, { kind: 'begun' }, { kind: 'saving', draft }],
  [
    'keeps showing a conflict while saving',
    { kind: 'conflicting', draft, conflict },
    { kind: 'begun' },
    { kind: 'saving', draft, conflict },
  ],
  ['drops the draft after a save', { kind: 'saving', draft }, { kind: 'saved' }, { kind: 'idle' }],
  [
    'keeps text that was typed during the save',
    { kind: 'saving', draft: newer },
    { kind: 'saved', draft: newer },
    { kind: 'idle', draft: newer },
  ],
  [
    'keeps draft and conflict if the save is refused',
    { kind: 'saving', draft, conflict },
    { kind: 'refused', failure },
    { kind: 'failed', draft, conflict, failure },
  ],
  [
    'enters a conflict if someone else saved first',
    { kind: 'saving', draft },
    { kind: 'overtaken', conflict },
    { kind: 'conflicting', draft, conflict },
  ],
  [
    'drops everything on discard',
    { kind: 'failed', draft, conflict, failure },
    { kind: 'discarded' },
    { kind: 'idle' },
  ],
  ['does not cancel a save on discard', { kind: 'saving', draft, conflict }, { kind: 'discarded' }, { kind: 'saving' }],
]

test.each(steps)('%s', (_words, before, event, after) => {
  expect(nextEditing(before, event)).toEqual(after)
})
