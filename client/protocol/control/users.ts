import { z } from 'zod'
import { anyFields, limited, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

/** A user, always in dialect a. */
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

/** User administration for the owner. Contract 11. */
export const users = {
  create: {
    summary: 'Create a user with any roles, without opening a session or sending mail.',
    request: z.strictObject({
      email: z.string(),
      password: z.string().optional().describe('Without a password, the user must reset it before logging in.'),
      data: anyFields.optional(),
      roles: z.array(z.string().min(1)).optional(),
      emailVerified: z.boolean().optional().describe('Default false.'),
    }),
    status: 201,
    reply: user,
  },
  list: {
    summary: 'List the users of a project, newest first.',
    request: z.object({
      email: z.string().optional().describe('Finds one user by email address. Ignores case.'),
      after: z.string().optional().describe('Id of a user. Lists only users after it.'),
      limit: limited('users'),
    }),
    reply: z.strictObject({
      users: z.array(user),
      next: z.string().nullable().describe('Value of `after` for the next page; null on the last page.'),
    }),
  },
  update: {
    summary: 'Set roles, mark the email address as verified, or turn two-factor login off.',
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
    summary: 'Create a session without a login, and get its token.',
    reply: z.strictObject({ token: z.string() }),
  },
  logOut: { summary: 'End all sessions of a user.', reply: removed },
  sessions: {
    list: {
      summary: 'List the active sessions of a user, oldest first.',
      reply: z.strictObject({
        sessions: z.array(
          z.strictObject({
            id: z.string(),
            signedInAt: z.string().describe('Time of the last check of password, code or provider.'),
            expiresAt: z.string(),
          }),
        ),
      }),
    },
    end: { summary: 'End one session of a user, with its realtime connections.', reply: removed },
  },
  code: {
    summary: "Get the current code of the user's authenticator app, and the URL to set up another app.",
    reply: z.strictObject({
      code: z.string(),
      otpauthUrl: z.string().describe('Show it as a QR code for an app to scan.'),
    }),
  },
} satisfies OperationsOf<typeof operations.users>
