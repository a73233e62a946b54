/** The rules for the documents of a collection: its fields, what is unique together, and the field that names a document. */
import { useState } from 'react'
import type { CountedCollection, Issue } from '../../../../client/index.js'
import { counted, formatCount } from '../../../../client/protocol/model/figures.js'
import { checkFieldSettings, checkSchema } from '../../../../client/protocol/model/schema-contradictions.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { sampleSize } from '../../../../types/read-collections.js'
import { useCommand } from '../../../frame/command-line.js'
import { Button } from '../../../parts/button.js'
import { Page } from '../../../parts/layout.js'
import { Empty } from '../../../parts/states.js'
import { useKeys } from '../../../parts/use-keys.js'
import { shortcut } from '../../../parts/words.js'
import { CollectionTabs } from '../collection-tabs.js'
import { JsonSettings } from '../json-settings.js'
import { SettingsPage } from '../settings-page.js'
import { SettingsSide } from '../settings-side.js'
import { useSettings } from '../use-settings.js'
import { findChanges } from './changes.js'
import { CollectionRules, checkGroups, type Rules, readRules, withFields } from './collection-rules.js'
import { newName, withRule } from './edits.js'
import { Effects, findBlocked, usePlan } from './effects.js'
import { FieldTable } from './field-table.js'
import { Inferred } from './inferred.js'
import { SchemaTypes } from './schema-types.js'

export function SchemaPage({ name }: { name: string }) {
  useCommand(`svc collections schema ${shellWord(name)} --schema schema.json --dry-run`)
  return <SettingsPage name={name} open="schema" editor={SchemaEditor} />
}

function SchemaEditor({ collection }: { collection: CountedCollection }) {
  const { name, documentCount } = collection
  const editing = useSchemaEditing(collection)
  const { settings, schema, changes, problems, plan, wrong, isJson, isInferring } = editing
  const { value, change, isChanged } = settings
  const count = Object.keys(schema).length
  const infer = documentCount ? (
    <Button aria-pressed={isInferring} onClick={() => editing.setInferring(!isInferring)}>
      Infer <span className="wide-words">from {describeSample(documentCount)}</span>
    </Button>
  ) : null
  return (
    <Page
      title={name}
      tabs={<CollectionTabs collection={name} open="schema" count={documentCount} />}
      facts={`${counted(count, 'field')}${isChanged ? ` · ${changes.length} not saved` : ''}`}
      actions={
        <>
          {infer}
          <Button aria-pressed={isJson} onClick={() => editing.setJson(!isJson)}>
            Edit as JSON <kbd>{shortcut('J')}</kbd>
          </Button>
          <Button onClick={editing.add}>
            Add field <kbd>N</kbd>
          </Button>
        </>
      }
      pane={
        <SettingsSide
          title="What this changes"
          facts={`${counted(changes.length, 'change')}${documentCount === undefined ? '' : ` · ${plan ? 'checked against ' : ''}${counted(plan?.documentCount ?? documentCount, 'document')}`}`}
          settings={settings}
          changes={changes.length}
          wrong={wrong}
          onFix={editing.fix}
        >
          <Effects collection={collection} {...{ changes, problems, plan }} />
          {isInferring ? (
            <Inferred
              collection={collection}
              schema={schema}
              onAdd={(fields) => change({ ...value, schema: { ...schema, ...fields } })}
            />
          ) : null}
        </SettingsSide>
      }
    >
      {isJson ? (
        <JsonSettings label="Schema as JSON" value={value} onChange={change} />
      ) : count === 0 ? (
        <Empty title="No fields yet" command={`svc collections schema ${shellWord(name)} --schema schema.json`}>
          <p>Any document is valid. With fields, documents are checked when they are written, and open as a form.</p>
          <Button look="main" onClick={editing.add}>
            Add field
          </Button>
          {infer}
        </Empty>
      ) : (
        <FieldSettings collection={collection} editing={editing} />
      )}
    </Page>
  )
}

interface FieldSettingsProps {
  readonly collection: CountedCollection
  readonly editing: ReturnType<typeof useSchemaEditing>
}

function FieldSettings({ collection, editing }: FieldSettingsProps) {
  const { settings, schema, changes, problems, selected, select, added } = editing
  const { value, base, change } = settings
  return (
    <div className="settings-body">
      <FieldTable
        {...{ schema, changes, problems, selected, added }}
        onSelect={select}
        onChange={(next, renamed) => {
          change(withFields(value, next, selected, renamed))
          if (renamed !== undefined) select(renamed)
        }}
      />
      <CollectionRules value={value} base={base} onChange={change} />
      <SchemaTypes collection={collection} saved={base.schema} schema={schema} />
    </div>
  )
}

/** Holds the edits of a schema, what is wrong with them, and what is open on the page. */
function useSchemaEditing(collection: CountedCollection) {
  const settings = useSettings<Rules>(collection, 'schema', readRules)
  const [selected, select] = useState<string>()
  const [added, setAdded] = useState<string>()
  const [isJson, setJson] = useState(false)
  const [isInferring, setInferring] = useState(false)
  const { value, base, change, isChanged } = settings
  const { schema } = value
  const contradictions = [
    ...checkSchema(schema),
    ...checkGroups(value),
    ...checkFieldSettings({ ...value, permissions: collection.permissions ?? {} }, value),
  ]
  const problems = findProblems([...contradictions, ...settings.issues])
  const plan = usePlan(collection, value, isChanged && contradictions.length === 0)
  const wrong = [...findProblems(contradictions).keys(), ...findBlocked(plan)]
  const add = () => {
    const fresh = newName(schema)
    change({ ...value, schema: withRule(schema, fresh, { type: 'string' }) })
    setJson(false)
    setAdded(fresh)
    select(fresh)
  }
  const fix = (field: string) => {
    setJson(false)
    select(field)
    requestAnimationFrame(() => document.getElementById(`schema ${field}`)?.querySelector('button')?.focus())
  }
  useKeys({
    n: add,
    'mod-j': () => setJson(!isJson),
    'mod-s': () => isChanged && wrong.length === 0 && settings.save(),
    escape: () => select(undefined),
  })
  return {
    ...{ settings, schema, changes: findChanges(base, value), problems, plan, wrong, add, fix },
    ...{ selected, select, added, isJson, setJson, isInferring, setInferring },
  }
}

/** Large collections are read in part. */
function describeSample(count: number): string {
  const part = count > sampleSize ? `${formatCount(sampleSize)} of ` : ''
  return `${part}${counted(count, 'document')}`
}

/** Returns the first thing that is wrong with each field. */
function findProblems(issues: readonly Issue[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { path, message } of issues) {
    const [, field = '', ...rest] = path[0] === 'schema' ? path : ['', ...path]
    const text = [...rest, message].join(' ')
    if (!found.has(String(field))) found.set(String(field), text)
  }
  return found
}
