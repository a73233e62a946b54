import { z } from 'zod'
import { anyFields, limited, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

/** In dialect a, whatever the project's is. */
const user = z.strictObject({
  id: z.string(),
  email: z.string(),
  data: anyFields,
  roles: z.array(z.string()),
  oauth_id: z.string().nullable(),
  email_verified: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** Contract 11: what the owner may do with users. */
export const users = {
  create: {
    summary: 'Create a user. No session is opened, no mail is sent, and whatever sign-ups may not ask for is given.',
    request: z.strictObject({
      email: z.string(),
      password: z.string().optional().describe('Left out, it has to be reset before one can log in with it.'),
      data: anyFields.optional(),
      roles: z.array(z.string().min(1)).optional(),
      emailVerified: z.boolean().optional().describe('False if left out.'),
    }),
    status: 201,
    reply: user,
  },
  list: {
    summary: 'List the users of a project, the newest first.',
    request: z.object({
      email: z.string().optional().describe('Only the one with this address, in upper or lower case.'),
      after: z.string().optional().describe('Id of a user; only those behind it.'),
      limit: limited('users'),
    }),
    reply: z.strictObject({
      users: z.array(user),
      next: z.string().nullable().describe('What `after` takes for those behind these; null where there are no more.'),
    }),
  },
  update: {
    summary: 'Give a user roles, mark the address as verified, turn two-factor login off.',
    request: z.strictObject({
      roles: z.array(z.string().min(1)).optional(),
      role: z.string().nullable().optional(),
      emailVerified: z.boolean().optional(),
      twoFactor: z.literal(false).optional(),
    }),
    reply: user,
  },
  remove: { summary: 'Delete a user.', reply: removed },
  token: {
    summary: 'Create a session, as if the user had logged in, and get its token.',
    reply: z.strictObject({ token: z.string() }),
  },
  logOut: { summary: 'End all sessions of a user.', reply: removed },
  sessions: {
    list: {
      summary: 'List the sessions of a user that have not expired, the oldest first.',
      reply: z.strictObject({
        sessions: z.array(
          z.strictObject({
            id: z.string(),
            signedInAt: z.string().describe('When the password, code or provider was asked for.'),
            expiresAt: z.string(),
          }),
        ),
      }),
    },
    end: { summary: 'End one session of a user. What was opened with it ends.', reply: removed },
  },
  code: {
    summary: "Get the code that the user's authenticator app shows, and what sets up another app.",
    reply: z.strictObject({ code: z.string(), otpauthUrl: z.string().describe('As a QR code, for an app to scan.') }),
  },
} satisfies OperationsOf<typeof operations.users>
