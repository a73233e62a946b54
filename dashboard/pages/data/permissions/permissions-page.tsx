/** The permissions of a collection as toggles, and what each kind of caller really gets. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CountedCollection } from '../../../../client/index.js'
import { isMemberWord } from '../../../../client/protocol/model/access/member-word.js'
import { isOfDocument } from '../../../../client/protocol/model/access/permission-words.js'
import { fieldRuleKinds, type Permissions, permissionKinds } from '../../../../client/protocol/model/collection.js'
import { equalJson, type Json } from '../../../../client/protocol/model/json.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { useCommand } from '../../../frame/command-line.js'
import { useCollections } from '../../../frame/counts.js'
import { Button, Copy } from '../../../parts/button.js'
import { Page } from '../../../parts/layout.js'
import { useKeys } from '../../../parts/use-keys.js'
import { shortcut } from '../../../parts/words.js'
import { useSession } from '../../../session/context.js'
import { CollectionTabs } from '../collection-tabs.js'
import { JsonSettings } from '../json-settings.js'
import { SettingsPage } from '../settings-page.js'
import { SettingsSide } from '../settings-side.js'
import { useSettings } from '../use-settings.js'
import { Effective } from './effective.js'
import { FieldRules } from './field-rules.js'
import { RulesTable } from './rules-table.js'
import { findMemberWords, findUsedWords } from './words.js'

interface Granted {
  readonly permissions: Permissions
}

export function PermissionsPage({ name }: { name: string }) {
  return <SettingsPage name={name} open="permissions" editor={PermissionsEditor} />
}

function PermissionsEditor({ collection }: { collection: CountedCollection }) {
  const { name, schema, documentCount, updatedAt } = collection
  const settings = useSettings<Granted>(collection, 'permissions', readPermissions)
  const [added, setAdded] = useState<readonly string[]>([])
  const [isJson, setJson] = useState(false)
  const { permissions } = settings.value
  const change = (next: Permissions) => settings.change({ permissions: next })
  const changed = findChanged(settings.base.permissions, permissions)
  const roles = useRoles()
  const { data: collections } = useCollections()
  const members = findMemberWords(schema, (to) => collections?.find((each) => each.name === to)?.schema)
  const used = [...findUsedWords(settings.base.permissions), ...findUsedWords(permissions)]
  const words = [...new Set([...members, ...used.filter(isMemberWord), ...used, ...roles, ...added])]
  useCommand(formatCommand(name, permissions, changed))
  useKeys({
    'mod-j': () => setJson(!isJson),
    'mod-s': () => settings.isChanged && settings.save(),
  })
  return (
    <Page
      title={name}
      tabs={<CollectionTabs collection={name} open="permissions" count={documentCount} />}
      facts={settings.isChanged ? `${changed.length} not saved` : ''}
      actions={
        <>
          <Button aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            Edit as JSON <kbd>{shortcut('J')}</kbd>
          </Button>
          <AddRole onAdd={(word) => setAdded([...added, word])} />
        </>
      }
      pane={
        <SettingsSide
          title="Effective permissions"
          facts="what each caller gets"
          settings={settings}
          changes={changed.length}
          wrong={[]}
          onFix={() => undefined}
        >
          <Effective collection={name} permissions={settings.isChanged ? permissions : undefined} savedAt={updatedAt} />
        </SettingsSide>
      }
    >
      {isJson ? (
        <JsonSettings label="Permissions as JSON" value={permissions} onChange={change} />
      ) : (
        <div className="settings-body">
          <RulesTable permissions={permissions} base={settings.base.permissions} words={words} onChange={change} />
          <FieldRules
            permissions={permissions}
            schema={schema}
            roles={words.filter((word) => !isOfDocument(word))}
            onChange={change}
          />
          <h4>
            JSON <small>as it will be stored</small>
            <Copy text={() => JSON.stringify(permissions, undefined, 2)} />
          </h4>
          <JsonLines permissions={permissions} changed={changed} />
        </div>
      )}
    </Page>
  )
}

function readPermissions({ permissions = {} }: { permissions?: Permissions }): Granted {
  return { permissions }
}

const kinds = [...permissionKinds, ...fieldRuleKinds]

function findChanged(before: Permissions, after: Permissions): readonly string[] {
  return kinds.filter((kind) => {
    const empty: Json = permissionKinds.some((each) => each === kind) ? [] : {}
    return !equalJson((before[kind] ?? empty) as Json, (after[kind] ?? empty) as Json)
  })
}

/** One line for each action, with marks at those that change. */
function JsonLines({ permissions, changed }: { permissions: Permissions; changed: readonly string[] }) {
  return (
    <pre className="json mono json-lines">
      {kinds.every((kind) => permissions[kind] === undefined) ? '{}' : null}
      {kinds
        .filter((kind) => permissions[kind] !== undefined)
        .map((kind) => (
          <span key={kind} className={changed.includes(kind) ? 'changed' : ''}>
            "{kind}": {JSON.stringify(permissions[kind])}
          </span>
        ))}
    </pre>
  )
}

/** Reads the roles of the first users. */
function useRoles(): readonly string[] {
  const { owner } = useSession()
  const { data } = useQuery({
    queryKey: ['users', 'roles'],
    queryFn: async () => (await owner.users.list({ limit: 100 })).items.flatMap(({ roles }) => roles),
  })
  return [...new Set(data ?? [])]
}

function formatCommand(name: string, permissions: Permissions, changed: readonly string[]): string {
  const flags = permissionKinds
    .filter((kind) => changed.includes(kind))
    .map((kind) => {
      const words = permissions[kind] ?? []
      return words.length === 0 ? `--open ${kind}` : `--${kind} ${shellWord(words.join(','))}`
    })
  return ['svc collections permissions', shellWord(name), ...flags].join(' ')
}

function AddRole({ onAdd }: { onAdd: (word: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <Button data-key="new" onClick={() => setOpen(true)}>
        Add role <kbd>N</kbd>
      </Button>
    )
  }
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        const word = String(new FormData(event.currentTarget).get('role')).trim()
        if (word !== '') onAdd(word)
        setOpen(false)
      }}
    >
      <input
        className="input mono"
        name="role"
        placeholder="role or member:field"
        aria-label="Role"
        // biome-ignore lint/a11y/noAutofocus: the user just opened it with a button or key.
        autoFocus
        onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
      />
      <Button type="submit">Add</Button>
    </form>
  )
}
