/** Fields that are hidden or read-only, except for some roles. */
import { useState } from 'react'
import {
  type FieldRuleKind,
  fieldRuleKinds,
  type Permissions,
  type Schema,
} from '../../../../client/protocol/model/collection.js'
import { Button } from '../../../parts/button.js'
import { Chip } from '../../../parts/chips.js'
import { Toggle } from '../../../parts/toggle.js'

interface RulesProps {
  readonly permissions: Permissions
  readonly schema: Schema
  /** Roles to offer. */
  readonly roles: readonly string[]
  readonly onChange: (permissions: Permissions) => void
}

const words: { readonly [Kind in FieldRuleKind]: string } = {
  hidden: 'hidden, except for',
  readonly: 'read-only, except for',
}

export function FieldRules({ permissions, schema, roles, onChange }: RulesProps) {
  const [added, setAdded] = useState<readonly string[]>([])
  const ruled = fieldRuleKinds.flatMap((kind) => Object.keys(permissions[kind] ?? {}))
  const fields = [...new Set([...ruled, ...added])]
  const change = (kind: FieldRuleKind, field: string, next: readonly string[] | undefined) => {
    const { [field]: _, ...others } = permissions[kind] ?? {}
    setAdded((before) => [...new Set([...before, ...fields])])
    onChange({ ...permissions, [kind]: next ? { ...others, [field]: next } : others })
  }
  return (
    <>
      <h4>
        Field rules <small>hidden and read-only</small>
        <AddRule
          names={Object.keys(schema).filter((name) => !fields.includes(name))}
          onAdd={(name) => setAdded([...added, name])}
        />
      </h4>
      {fields.length === 0 ? (
        <p className="rules-note">Every field can be read and set by callers who may read and write the document.</p>
      ) : (
        <table className="rules-table">
          <thead>
            <tr>
              <th>field</th>
              {fieldRuleKinds.map((kind) => (
                <th key={kind}>{words[kind]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <td className="mono">{field}</td>
                {fieldRuleKinds.map((kind) => (
                  <td key={kind}>
                    <Rule
                      label={`${field} ${kind}`}
                      except={permissions[kind]?.[field]}
                      roles={roles}
                      onChange={(next) => change(kind, field, next)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

interface RuleProps {
  readonly label: string
  /** Undefined if there is no rule. */
  readonly except: readonly string[] | undefined
  readonly roles: readonly string[]
  readonly onChange: (except: readonly string[] | undefined) => void
}

function Rule({ label, except, roles, onChange }: RuleProps) {
  return (
    <span className="line wrap">
      <Toggle label={label} isOn={except !== undefined} onChange={(isOn) => onChange(isOn ? [] : undefined)} />
      {except === undefined ? null : (
        <>
          {except.length === 0 ? <span className="was">the secret key alone</span> : null}
          {except.map((role) => (
            <Chip
              key={role}
              label={`Remove ${role} from ${label}`}
              onRemove={() => onChange(except.filter((each) => each !== role))}
            >
              {role}
            </Chip>
          ))}
          <select
            className="add-chip link"
            aria-label={`Add a role to ${label}`}
            value=""
            onChange={({ target }) => onChange([...except, target.value])}
          >
            <option value="">+ Add</option>
            {roles
              .filter((role) => !except.includes(role))
              .map((role) => (
                <option key={role}>{role}</option>
              ))}
          </select>
        </>
      )}
    </span>
  )
}

function AddRule({ names, onAdd }: { names: readonly string[]; onAdd: (name: string) => void }) {
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        const name = String(new FormData(event.currentTarget).get('field')).trim()
        event.currentTarget.reset()
        if (name !== '') onAdd(name)
      }}
    >
      <input
        className="input mono"
        name="field"
        list="rule-fields"
        placeholder="field"
        aria-label="Field of a new rule"
      />
      <datalist id="rule-fields">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit">Add rule</Button>
    </form>
  )
}
