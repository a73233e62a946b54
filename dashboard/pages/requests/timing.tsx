import type { RequestRecord } from '../../../client/protocol/control/requests.js'

const parts: readonly (readonly [keyof RequestRecord['timing'], string])[] = [
  ['receiving', 'receiving the body'],
  ['queue', 'waiting for the database'],
  ['database', 'database'],
  ['hashing', 'password hashing'],
  ['writing', 'writing the answer'],
  ['own', 'everything else'],
]

/** Shows how long each part of a request took. */
export function Timing({ request: { timing, milliseconds } }: { request: RequestRecord }) {
  const whole = Math.max(milliseconds, 0.1)
  let before = 0
  return (
    <ul className="timing">
      {parts.map(([part, label]) => {
        const left = (before / whole) * 100
        before += timing[part]
        return (
          <li key={part}>
            <span>{label}</span>
            <span className="waterfall">
              <i
                style={{ left: `${Math.min(left, 100)}%`, width: `${Math.min((timing[part] / whole) * 100, 100)}%` }}
              />
            </span>
            <span className="mono num">{timing[part].toFixed(2)} ms</span>
          </li>
        )
      })}
    </ul>
  )
}
