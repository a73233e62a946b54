/** Ends every refusal of a call that needs a user token. A role would not help there. */
export const userRefusal = 'Send a user token. A key does not act for a user, not even the secret key.'
