/** Adds the subject of the caller's token to the rows of the audit log. */
export const auditSubject: string = `
ALTER TABLE audit ADD COLUMN subject TEXT;
`;
