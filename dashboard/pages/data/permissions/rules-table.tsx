/** Shows the permissions as toggles: a row for each kind of caller, a column for each action. */
import { authenticatedWord } from '../../../../client/protocol/model/access/permission-words.js'
import {
  ownerWord,
  type PermissionKind,
  type Permissions,
  permissionKinds,
} from '../../../../client/protocol/model/collection.js'
import { equalJson, type Json } from '../../../../client/protocol/model/json.js'
import { Toggle } from '../../../parts/toggle.js'
import { anyone, describeOpen, describeWord, readSwitch, type Who, withSwitch } from './words.js'

interface TableProps {
  readonly permissions: Permissions
  /** Stored permissions. */
  readonly base: Permissions
  /** Roles and members, each in a row. */
  readonly words: readonly string[]
  readonly onChange: (permissions: Permissions) => void
}

export function RulesTable(props: TableProps) {
  const { permissions, words } = props
  const warning = describeOpen(permissions)
  return (
    <>
      <table className="rules-table">
        <thead>
          <tr>
            <th>who</th>
            {permissionKinds.map((kind) => (
              <th key={kind} className="mid">
                {kind}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <WhoRow {...props} who={anyone} className={warning === '' ? '' : 'public'} />
          {[authenticatedWord, ownerWord, ...words].map((word) => (
            <WhoRow key={word} {...props} who={word} />
          ))}
          <tr>
            <td>
              <b>Secret key</b> <small>your servers, never an app</small>
            </td>
            {permissionKinds.map((kind) => (
              <td key={kind} className="mid dim">
                always
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      <p className="rules-note">
        {warning === '' ? null : <b className="warn">{warning} </b>}
        Soft toggles are included in a wider row. An action with nothing on is for the secret key alone.
      </p>
    </>
  )
}

function WhoRow({ permissions, base, who, className = '', onChange }: TableProps & { who: Who; className?: string }) {
  const name = who === anyone ? 'Anyone with a key' : String(who)
  return (
    <tr className={className}>
      <td>
        {who === anyone ? <b>{name}</b> : <span className="mono">{name}</span>}{' '}
        <small>{who === anyone ? 'every copy of the app' : describeWord(String(who))}</small>
      </td>
      {permissionKinds.map((kind) => (
        <td key={kind} className={`mid ${isChanged(base, permissions, who, kind) ? 'changed' : ''}`}>
          <Cell
            label={`${name}: ${kind}`}
            state={readSwitch(permissions, who, kind)}
            onSwitch={(isOn) => onChange(withSwitch(permissions, who, kind, isOn))}
          />
        </td>
      ))}
    </tr>
  )
}

interface CellProps {
  readonly label: string
  readonly state: ReturnType<typeof readSwitch>
  readonly onSwitch: (isOn: boolean) => void
}

function Cell({ label, state, onSwitch }: CellProps) {
  if (state === 'never') {
    return (
      <span className="dim" title="A new document has no owner yet.">
        –
      </span>
    )
  }
  return (
    <Toggle
      label={label}
      isOn={state === 'on'}
      isIncluded={state === 'included'}
      title={state === 'included' ? 'Included in a wider row.' : undefined}
      onChange={onSwitch}
    />
  )
}

function isChanged(base: Permissions, now: Permissions, who: Who, kind: PermissionKind): boolean {
  if (equalJson((base[kind] ?? []) as Json, (now[kind] ?? []) as Json)) return false
  return readSwitch(base, who, kind) !== readSwitch(now, who, kind)
}
