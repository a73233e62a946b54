/** Encodes users. Only the naming of times depends on the dialect. Spec, "App user". */
import type { OutgoingUser } from '../../model/document.js'
import type { WritableObject } from '../../model/json.js'
import { type EncodeLink, encodeData } from './populated.js'

/** Naming of times: `createdAt` or `created_at`. `deployed` records also have the fields of the deployed service. */
export type Naming = 'camel' | 'snake' | 'deployed'

export function encodeUserRecord(naming: Naming, user: OutgoingUser, encodeLink: EncodeLink): WritableObject {
  const { id, email, data, roles, oauthId, emailVerified, createdAt, updatedAt } = user
  const record = {
    id,
    email,
    data: encodeData(data, encodeLink),
    roles,
    oauth_id: oauthId,
    email_verified: emailVerified,
  }
  return { ...record, ...userTimes[naming]({ createdAt, updatedAt }) }
}

type Times = Pick<OutgoingUser, 'createdAt' | 'updatedAt'>

const userTimes = {
  camel: (times) => ({ ...times }),
  snake: ({ createdAt, updatedAt }) => ({ created_at: createdAt, updated_at: updatedAt }),
  deployed: ({ createdAt, updatedAt }) => ({
    created_at: createdAt,
    updated_at: updatedAt,
    email_verified_at: null,
  }),
} as const satisfies Record<Naming, (times: Times) => WritableObject>
