/** Variables of object storages that `.env` may set. LanceDB itself reads them, and others, from the environment of the process only. */
export const BUCKET_VARIABLES: readonly string[] = [
  ...['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'SESSION_TOKEN', 'REGION', 'DEFAULT_REGION', 'ENDPOINT', 'ENDPOINT_URL', 'ALLOW_HTTP'].map(
    (name) => `AWS_${name}`,
  ),
  ...['ACCOUNT_NAME', 'ACCOUNT_KEY', 'SAS_TOKEN', 'CLIENT_ID', 'CLIENT_SECRET', 'TENANT_ID', 'ENDPOINT'].map(
    (name) => `AZURE_STORAGE_${name}`,
  ),
  ...['SERVICE_ACCOUNT', 'SERVICE_ACCOUNT_KEY', 'APPLICATION_CREDENTIALS'].map((name) => `GOOGLE_${name}`),
];
