// Printed from rest/openapi.json by `npm run print`.
export interface webhooks {
    "account/created": {
        parameters: {
        };
        /**
         * account/created
         * @description Sent to each endpoint that names `account/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveAccountCreatedEvent"];
    };
    "account/updated": {
        parameters: {
        };
        /**
         * account/updated
         * @description Sent to each endpoint that names `account/updated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveAccountUpdatedEvent"];
    };
    "account/kybUpdated": {
        parameters: {
        };
        /**
         * account/kybUpdated
         * @description Sent to each endpoint that names `account/kybUpdated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveAccountKybUpdatedEvent"];
    };
    "customer/created": {
        parameters: {
        };
        /**
         * customer/created
         * @description Sent to each endpoint that names `customer/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveCustomerCreatedEvent"];
    };
    "customer/updated": {
        parameters: {
        };
        /**
         * customer/updated
         * @description Sent to each endpoint that names `customer/updated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveCustomerUpdatedEvent"];
    };
    "paymentInstrument/created": {
        parameters: {
        };
        /**
         * paymentInstrument/created
         * @description Sent to each endpoint that names `paymentInstrument/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentInstrumentCreatedEvent"];
    };
    "paymentInstrument/deleted": {
        parameters: {
        };
        /**
         * paymentInstrument/deleted
         * @description Sent to each endpoint that names `paymentInstrument/deleted`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentInstrumentDeletedEvent"];
    };
    "payment/created": {
        parameters: {
        };
        /**
         * payment/created
         * @description Sent to each endpoint that names `payment/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentCreatedEvent"];
    };
    "payment/actionRequired": {
        parameters: {
        };
        /**
         * payment/actionRequired
         * @description Sent to each endpoint that names `payment/actionRequired`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentActionRequiredEvent"];
    };
    "payment/authorized": {
        parameters: {
        };
        /**
         * payment/authorized
         * @description Sent to each endpoint that names `payment/authorized`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentAuthorizedEvent"];
    };
    "payment/succeeded": {
        parameters: {
        };
        /**
         * payment/succeeded
         * @description Sent to each endpoint that names `payment/succeeded`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentSucceededEvent"];
    };
    "payment/rejected": {
        parameters: {
        };
        /**
         * payment/rejected
         * @description Sent to each endpoint that names `payment/rejected`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentRejectedEvent"];
    };
    "payment/failed": {
        parameters: {
        };
        /**
         * payment/failed
         * @description Sent to each endpoint that names `payment/failed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentFailedEvent"];
    };
    "payment/captured": {
        parameters: {
        };
        /**
         * payment/captured
         * @description Sent to each endpoint that names `payment/captured`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentCapturedEvent"];
    };
    "payment/voided": {
        parameters: {
        };
        /**
         * payment/voided
         * @description Sent to each endpoint that names `payment/voided`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentVoidedEvent"];
    };
    "payment/refunded": {
        parameters: {
        };
        /**
         * payment/refunded
         * @description Sent to each endpoint that names `payment/refunded`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentRefundedEvent"];
    };
    "payment/refundFailed": {
        parameters: {
        };
        /**
         * payment/refundFailed
         * @description Sent to each endpoint that names `payment/refundFailed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePaymentRefundFailedEvent"];
    };
    "dispute/created": {
        parameters: {
        };
        /**
         * dispute/created
         * @description Sent to each endpoint that names `dispute/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveDisputeCreatedEvent"];
    };
    "dispute/updated": {
        parameters: {
        };
        /**
         * dispute/updated
         * @description Sent to each endpoint that names `dispute/updated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveDisputeUpdatedEvent"];
    };
    "order/created": {
        parameters: {
        };
        /**
         * order/created
         * @description Sent to each endpoint that names `order/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderCreatedEvent"];
    };
    "order/paid": {
        parameters: {
        };
        /**
         * order/paid
         * @description Sent to each endpoint that names `order/paid`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderPaidEvent"];
    };
    "order/failed": {
        parameters: {
        };
        /**
         * order/failed
         * @description Sent to each endpoint that names `order/failed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderFailedEvent"];
    };
    "order/refunded": {
        parameters: {
        };
        /**
         * order/refunded
         * @description Sent to each endpoint that names `order/refunded`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderRefundedEvent"];
    };
    "order/refundFailed": {
        parameters: {
        };
        /**
         * order/refundFailed
         * @description Sent to each endpoint that names `order/refundFailed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderRefundFailedEvent"];
    };
    "order/canceled": {
        parameters: {
        };
        /**
         * order/canceled
         * @description Sent to each endpoint that names `order/canceled`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveOrderCanceledEvent"];
    };
    "subscription/created": {
        parameters: {
        };
        /**
         * subscription/created
         * @description Sent to each endpoint that names `subscription/created`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionCreatedEvent"];
    };
    "subscription/activated": {
        parameters: {
        };
        /**
         * subscription/activated
         * @description Sent to each endpoint that names `subscription/activated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionActivatedEvent"];
    };
    "subscription/updated": {
        parameters: {
        };
        /**
         * subscription/updated
         * @description Sent to each endpoint that names `subscription/updated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionUpdatedEvent"];
    };
    "subscription/paused": {
        parameters: {
        };
        /**
         * subscription/paused
         * @description Sent to each endpoint that names `subscription/paused`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionPausedEvent"];
    };
    "subscription/resumed": {
        parameters: {
        };
        /**
         * subscription/resumed
         * @description Sent to each endpoint that names `subscription/resumed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionResumedEvent"];
    };
    "subscription/canceled": {
        parameters: {
        };
        /**
         * subscription/canceled
         * @description Sent to each endpoint that names `subscription/canceled`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionCanceledEvent"];
    };
    "subscription/cancelScheduled": {
        parameters: {
        };
        /**
         * subscription/cancelScheduled
         * @description Sent to each endpoint that names `subscription/cancelScheduled`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionCancelScheduledEvent"];
    };
    "subscription/pastDue": {
        parameters: {
        };
        /**
         * subscription/pastDue
         * @description Sent to each endpoint that names `subscription/pastDue`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionPastDueEvent"];
    };
    "subscription/actionRequired": {
        parameters: {
        };
        /**
         * subscription/actionRequired
         * @description Sent to each endpoint that names `subscription/actionRequired`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionActionRequiredEvent"];
    };
    "subscription/rebillUpcoming": {
        parameters: {
        };
        /**
         * subscription/rebillUpcoming
         * @description Sent to each endpoint that names `subscription/rebillUpcoming`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionRebillUpcomingEvent"];
    };
    "subscription/rebillSucceeded": {
        parameters: {
        };
        /**
         * subscription/rebillSucceeded
         * @description Sent to each endpoint that names `subscription/rebillSucceeded`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionRebillSucceededEvent"];
    };
    "subscription/rebillDeclined": {
        parameters: {
        };
        /**
         * subscription/rebillDeclined
         * @description Sent to each endpoint that names `subscription/rebillDeclined`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveSubscriptionRebillDeclinedEvent"];
    };
    "funnel/stepEntered": {
        parameters: {
        };
        /**
         * funnel/stepEntered
         * @description Sent to each endpoint that names `funnel/stepEntered`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveFunnelStepEnteredEvent"];
    };
    "funnel/converted": {
        parameters: {
        };
        /**
         * funnel/converted
         * @description Sent to each endpoint that names `funnel/converted`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveFunnelConvertedEvent"];
    };
    "plugin/deployed": {
        parameters: {
        };
        /**
         * plugin/deployed
         * @description Sent to each endpoint that names `plugin/deployed`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePluginDeployedEvent"];
    };
    "plugin/configUpdated": {
        parameters: {
        };
        /**
         * plugin/configUpdated
         * @description Sent to each endpoint that names `plugin/configUpdated`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceivePluginConfigUpdatedEvent"];
    };
    "webhook/test": {
        parameters: {
        };
        /**
         * webhook/test
         * @description Sent to each endpoint that names `webhook/test`. A message may arrive more than once: compare `webhook-id`.
         */
        post: operations["ReceiveWebhookTestEvent"];
    };
}
export interface components {
    schemas: {
        /** @description An error. */
        ApiError: {
            /**
             * @description What went wrong, for programs.
             * @enum {string}
             */
            code: "INPUT_PARSE_ERROR" | "NOT_AUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "PAYMENT_NOT_FOUND" | "CONFLICT" | "GONE" | "TOO_MANY_REQUESTS" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "HEADERS_TOO_LARGE" | "MISDIRECTED_REQUEST" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL_SERVER_ERROR" | "SERVICE_UNAVAILABLE";
            /** @description A message for people. It may change. */
            message: string;
            /** @description Details of the error. */
            data: {
                /** @description With 400. */
                issues?: components["schemas"]["ErrorIssue"][];
                /**
                 * @description The reason of a 403 or a 409, for programs.
                 * @enum {string}
                 */
                reason?: "forbidden_scope" | "mode_escalation_forbidden" | "partner_not_active" | "account_not_active" | "consent_missing" | "ip_not_allowed" | "sandbox_has_no_live_mode" | "idempotency_key_in_use" | "idempotency_key_reused" | "invalid_state" | "payment_failed" | "already_exists" | "limit_reached" | "connect_not_configured" | "base_path_conflict";
                /** @description With 500: the id of the request. */
                requestId?: string;
                /** @description With 429 and 503: the number of seconds to wait. */
                retryAfter?: number;
                /**
                 * @description With 503: `none` if nothing was done; `unknown` if the call may have been done.
                 * @enum {string}
                 */
                effect?: "none" | "unknown";
            } & {
                [key: string]: unknown;
            };
        };
        /** @description An error of the plugin endpoints. */
        PluginError: {
            /** @description A message for people. It may change. */
            message: string;
            /**
             * @description What went wrong, for programs.
             * @enum {string}
             */
            code: "INPUT_PARSE_ERROR" | "NOT_AUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "PAYMENT_NOT_FOUND" | "CONFLICT" | "GONE" | "TOO_MANY_REQUESTS" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "HEADERS_TOO_LARGE" | "MISDIRECTED_REQUEST" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL_SERVER_ERROR" | "SERVICE_UNAVAILABLE";
            /** @description The invalid fields. If no field is invalid, one issue with the reason. */
            issues: components["schemas"]["ErrorIssue"][];
        };
        /** @description One invalid field. */
        ErrorIssue: {
            /** @description The path of the invalid field, such as `items[0].quantity`. Empty for the body as a whole. */
            path?: string;
            /** @description What is wrong with the field. */
            message: string;
            /** @description A code for programs, if there is one. */
            reason?: string;
        };
        /** @description A processing account (TPA): one merchant of a partner, in one mode. */
        Account: {
            /** @description Unique identifier of the account, prefix `tpa_`. */
            id: string;
            /** @description Identifier of the organization that the account belongs to, prefix `acc_`. */
            organizationAccountId: string;
            /** @description Identifier of the partner that provisioned the account, prefix `par_`. */
            partnerId: string;
            /** @description The merchant's legal name. */
            legalName: string;
            /** @description The country in which the merchant is established. Null if it was not given. */
            country: components["schemas"]["Country"] | null;
            /** @description The base currency of the account. */
            currency: components["schemas"]["Currency"];
            /** @description The partner's own reference of the account, unique per partner and mode. Null if none was given. */
            externalRef: string | null;
            /** @description Whether the account can charge. */
            status: components["schemas"]["AccountStatus"];
            /** @description The state of the verification of the business. */
            kybStatus: components["schemas"]["KybStatus"];
            /** @description The rate limit of the account. An operator sets it. */
            plan: components["schemas"]["Plan"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Key-value data that the client has stored. */
            metadata: components["schemas"]["Metadata"];
            /** @description The stores of the account, oldest first. There is at least one. */
            stores: components["schemas"]["AccountStore"][];
            /** @description Time at which the account was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last change of the account. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `account/created`. */
        AccountCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "account/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Account"];
            };
        };
        /** @description Conditions on accounts. An account is listed if it meets all of them. */
        AccountFilters: {
            /** @description Accounts in any of these countries. */
            country?: components["schemas"]["Country"][];
            /** @description Condition on the time of creation. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description The account with exactly this reference of the partner's. */
            externalRef?: components["schemas"]["Name"];
            /** @description Accounts in any of these KYB statuses. */
            kybStatus?: components["schemas"]["KybStatus"][];
            /** @description Condition on the merchant's legal name. */
            legalName?: components["schemas"]["TextFilter"];
            /** @description Accounts in any of these statuses. */
            status?: components["schemas"]["AccountStatus"][];
        };
        /** @description The event `account/kybUpdated`. */
        AccountKybUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "account/kybUpdated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Kyb"];
            };
        };
        /** @description A page of accounts. */
        AccountPage: {
            /** @description The accounts of this page. Empty after the last page. */
            items: components["schemas"]["Account"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        AccountSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["AccountSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        AccountSortField: "createdAt" | "legalName";
        /**
         * @description Whether an account can charge. Unless it is `active`, charges and captures are refused with 403 `account_not_active`, and neither jobs nor pages charge for it. Voids and refunds remain possible, a 3DS challenge in progress can be completed, and disputes are recorded.
         * @enum {string}
         */
        AccountStatus: "active" | "closed" | "pending_operator_assignment" | "suspended";
        /** @description A place where an account sells. Each customer, payment instrument and payment belongs to one store. */
        AccountStore: {
            /** @description Unique identifier of the store, prefix `store_`. */
            id: string;
            /** @description The name of the store. */
            name: string;
            /** @description The system the store runs on. */
            type: components["schemas"]["StoreType"];
            /** @description The currency in which the store does its accounting, an ISO 4217 code. */
            baseCurrency: components["schemas"]["Currency"];
        };
        /** @description The event `account/updated`. */
        AccountUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "account/updated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Account"];
            };
        };
        /** @description A postal address. Every part is null if it was not given. */
        Address: {
            /** @description Given name of the addressee. */
            firstName: string | null;
            /** @description Family name of the addressee. */
            lastName: string | null;
            /** @description First line: street and number. */
            line1: string | null;
            /** @description Second line: apartment, floor or building. */
            line2: string | null;
            /** @description City or town. */
            city: string | null;
            /** @description State, province or region. */
            state: string | null;
            /** @description Postal code. */
            postalCode: string | null;
            /** @description Two-letter ISO 3166-1 country code in upper case. */
            country: components["schemas"]["Country"] | null;
            /** @description Telephone number of the addressee. */
            phone: string | null;
            /** @description Email address of the addressee. */
            email: components["schemas"]["Email"] | null;
        };
        /** @description A postal address. Every part is optional; strings have at most 500 characters. */
        AddressInput: {
            /** @description City or town. */
            city?: components["schemas"]["ShortText"] | null;
            /** @description Two-letter ISO 3166-1 country code in upper case. */
            country?: components["schemas"]["Country"] | null;
            /** @description Email address of the addressee. */
            email?: components["schemas"]["Email"] | null;
            /** @description Given name of the addressee. */
            firstName?: components["schemas"]["ShortText"] | null;
            /** @description Family name of the addressee. */
            lastName?: components["schemas"]["ShortText"] | null;
            /** @description First line: street and number. */
            line1?: components["schemas"]["ShortText"] | null;
            /** @description Second line: apartment, floor or building. */
            line2?: components["schemas"]["ShortText"] | null;
            /** @description Telephone number of the addressee. */
            phone?: components["schemas"]["ShortText"] | null;
            /** @description Postal code. */
            postalCode?: components["schemas"]["ShortText"] | null;
            /** @description State, province or region. */
            state?: components["schemas"]["ShortText"] | null;
        };
        AdvanceTestClockInput: {
            /** @description The time to advance to: not before the `now` of the test clock, and at most 731 days after it, otherwise 400. */
            to: components["schemas"]["DateTime"];
        };
        AdvanceTestDisputeInput: {
            /** @description The status to advance to. */
            status: components["schemas"]["AdvancedDisputeStatus"];
        };
        /**
         * @description A status to which a test dispute can be advanced.
         * @enum {string}
         */
        AdvancedDisputeStatus: "lost" | "under_review" | "won";
        /** @description An amount of money in minor units (cents for USD): a whole number from 1 to 99999999999. Fractions and strings are refused. */
        Amount: number;
        /** @description A range of amounts in minor units. Both limits are included. */
        AmountFilter: {
            /** @description The largest amount. No upper limit if left out. */
            max?: components["schemas"]["Amount"] | null;
            /** @description The smallest amount. No lower limit if left out. */
            min?: components["schemas"]["Amount"] | null;
        };
        /** @description An amount of money of one object in minor units, which may be nothing: a whole number from 0 to 99999999999. Fractions and strings are refused. */
        AmountOrZero: number;
        /** @description An API key. Its secret is returned once, when the key is created; only a hash of it is stored. */
        ApiKey: {
            /** @description Unique identifier of the key, prefix `ak_`. */
            id: string;
            /** @description The leading part of the key. It is not secret and can be stored, logged and displayed. */
            prefix: string;
            /** @description The processing account of a sub-key, prefix `tpa_`. Null for a partner key. */
            platformAccountId: string | null;
            /** @description The label that was given to the key. */
            label: string;
            /** @description Time at which the key was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the latest call made with the key. Null before the first call. */
            lastUsedAt: components["schemas"]["DateTime"] | null;
            /** @description Whether the key is in use. */
            status: components["schemas"]["KeyStatus"];
            /** @description Time from which calls with the key are refused with 401. Null if the key does not expire. */
            expiresAt: components["schemas"]["DateTime"] | null;
            /** @description The CIDR ranges from which the key can be used; calls from other addresses are refused with 403 `ip_not_allowed`. Empty if the key can be used from any address. */
            allowedIps: string[];
        };
        /** @description Conditions on API keys. */
        ApiKeyFilters: {
            /** @description Keys in any of these statuses. */
            status?: components["schemas"]["KeyStatus"][];
        };
        /** @description A page of API keys. */
        ApiKeyPage: {
            /** @description The API keys of this page. Empty after the last page. */
            items: components["schemas"]["ListedApiKey"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The API key of the request and the objects to which it gives access. */
        AuthTest: {
            /** @description Always true: an invalid key is refused with 401. */
            ok: boolean;
            /** @description Whether the answer comes from production, the sandbox or a server for development. */
            environment: components["schemas"]["Environment"];
            /** @description The mode of the key. */
            mode: components["schemas"]["Mode"];
            /** @description Whether the key is a partner key or a sub-key. */
            keyKind: components["schemas"]["KeyKind"];
            /** @description Unique identifier of the key, prefix `ak_`. */
            keyId: string;
            /** @description The leading part of the key. It is not secret and can be stored, logged and displayed. */
            keyPrefix: string;
            /** @description The partner to which the key belongs, prefix `par_`. */
            partnerId: string;
            /** @description Whether the partner is active. The keys of a suspended one take no money and make nothing. */
            partnerStatus: components["schemas"]["KeyPartnerStatus"];
            /** @description The processing account of a sub-key, prefix `tpa_`. Null for a partner key. */
            platformAccountId?: string;
            /** @description The stores of the sub-key's account, oldest first, at most 100. Null for a partner key. */
            storeIds?: string[];
        };
        /**
         * @description A path that begins with `/`: at most 200 characters of `A-Z`, `a-z`, `0-9`, `.`, `_`, `~` and `-` between slashes, without `.` or `..` as a part. A slash at its end is removed.
         * @example /
         */
        BasePath: string;
        /**
         * @description The first digits of a card number: 6 to 8 digits.
         * @example 424242
         */
        BinPrefix: string;
        /** @description A rule that declines matching charges before a processor is called. */
        BlockRule: {
            /** @description Unique identifier of the rule, prefix `rule_`. */
            id: string;
            /** @description Identifier of the processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The store to which the rule is limited, prefix `store_`. Null if it applies to the whole account. */
            storeId: string | null;
            /** @description The name of the rule. */
            name: components["schemas"]["Label"];
            /** @description How the criteria are combined. */
            operator: components["schemas"]["RuleOperator"];
            /** @description The IP address of the cardholder: the `payerIp` of a charge, or the address of a checkout page's visitor. A charge without one does not match. Null if the rule has no such criterion. */
            ipAddress: string | null;
            /** @description Identifier of the paying customer, prefix `cus_`. Null if the rule has no such criterion. */
            customerId: string | null;
            /** @description The customer's email address, compared case-insensitively. Null if the rule has no such criterion. */
            email: string | null;
            /** @description A pattern searched for in the customer's email address. Null if the rule has no such criterion. */
            emailRegex: string | null;
            /** @description The first 6 to 8 digits of the card number. Null if the rule has no such criterion. */
            bin: string | null;
            /** @description A pattern searched for in the first digits of the card number: 8 digits, or 6 if the number has fewer than 16 digits. Null if the rule has no such criterion. */
            binRegex: string | null;
            /** @description The last four digits of the card number. Null if the rule has no such criterion. */
            panLast4: string | null;
            /** @description A pattern searched for in the masked card number: the digits of `bin`, `*` for each hidden digit, the last four digits, such as `42424242****4242`. Null if the rule has no such criterion. */
            panRegex: string | null;
            /** @description The country of the charge's billing address, or of the customer's if the charge has none. Null if the rule has no such criterion. */
            country: string | null;
            /** @description Identifier of a payment, prefix `pay_`. Charges with the card of that payment match. Null if the rule has no such criterion. */
            paymentId: string | null;
            /** @description Whether the rule never expires. */
            isPermanent: boolean;
            /**
             * Format: int32
             * @description The lifetime that was set, in hours. Null for a permanent rule.
             */
            ttlHours: number | null;
            /** @description Time from which the rule is ignored. Null for a permanent rule. */
            expiresAt: components["schemas"]["DateTime"] | null;
            /** @description Key-value data that the client has stored. */
            metadata: components["schemas"]["Metadata"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the rule was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last change of the rule. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Conditions on block rules. */
        BlockRuleFilters: {
            /** @description Rules that are limited to any of these stores. */
            storeId?: string[];
        };
        /** @description A page of block rules. */
        BlockRulePage: {
            /** @description The block rules of this page. Empty after the last page. */
            items: components["schemas"]["BlockRule"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        BlockRuleSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["BlockRuleSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        BlockRuleSortField: "createdAt" | "name";
        CancelOrderInput: {
            /** @description The order to cancel, prefix `ord_`. */
            orderId: string;
        };
        /** @description The cancellation of one subscription (`subscriptionId`) or of several (`subscriptionIds`), exactly one of the two. */
        CancelSubscriptionInput: {
            /** @description Whether the subscription continues to the end of the paid period or of the trial; until then `resume` revokes the cancellation. If false, the subscription ends now, nothing more is charged, and nothing is refunded. Default: `false`. */
            cancelAtPeriodEnd?: boolean | null;
            /** @description The subscription to cancel, prefix `sub_`. */
            subscriptionId: string;
        } | {
            /** @description Whether the subscription continues to the end of the paid period or of the trial; until then `resume` revokes the cancellation. If false, the subscription ends now, nothing more is charged, and nothing is refunded. Default: `false`. */
            cancelAtPeriodEnd?: boolean | null;
            /** @description The subscriptions to cancel, 1 to 100. Each is canceled independently, and the answer contains the result of each. */
            subscriptionIds: string[];
        };
        /** @description The canceled subscription for `subscriptionId`; the results of all cancellations for `subscriptionIds`. */
        CancelSubscriptionResult: components["schemas"]["Subscription"] | components["schemas"]["Cancellations"];
        /** @description The error for which one of several subscriptions was not canceled. */
        CancellationError: {
            /** @description The error code, the same as of a cancellation of this subscription alone. */
            code: components["schemas"]["ErrorCode"];
            /** @description A description of the error in one sentence. */
            message: string;
        };
        /** @description The result of one of several cancellations. */
        CancellationOutcome: {
            /** @description The subscription as named in the request, prefix `sub_`. */
            subscriptionId: string;
            /** @description The canceled subscription. Null if the cancellation failed. */
            subscription?: components["schemas"]["Subscription"];
            /** @description The error. Null if the cancellation succeeded. */
            error?: components["schemas"]["CancellationError"];
        };
        /**
         * @description The reason for which a subscription ended.
         * @enum {string}
         */
        CancellationReason: "incomplete_expired" | "payment_failed" | "period_ended" | "refunded" | "requested";
        /** @description The results of several cancellations. */
        Cancellations: {
            /** @description One result for each of `subscriptionIds`. */
            results: components["schemas"]["CancellationOutcome"][];
        };
        /** @description A capture. */
        CapturePaymentInput: {
            /** @description The amount in minor units, at most the authorized amount (else 400). Default: the authorized amount. An authorization is captured once; the rest of it is released. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description The identifier of the payment, prefix `pay_`. */
            paymentId: string;
        };
        /** @description The displayable data of a card. The card number is stored in the vault only. */
        Card: {
            /** @description The brand of the card. */
            brand: components["schemas"]["CardBrand"];
            /** @description The last four digits of the card number. */
            last4: string;
            /** @description The leading digits of the card number, which identify the issuer: 8, or 6 for a number under 16 digits. */
            bin: string;
            /**
             * Format: int32
             * @description The month in which the card expires, 1 to 12. The card is valid through its last day.
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year in which the card expires, four digits.
             */
            expYear: number;
            /** @description The kind of funding of the card, `unknown` unless it is known. */
            funding: components["schemas"]["CardFunding"];
            /** @description A value that identifies the card number: the same number has the same fingerprint within one account and mode. */
            fingerprint: string;
        };
        /**
         * @description The brand of a card.
         * @enum {string}
         */
        CardBrand: "amex" | "diners" | "discover" | "jcb" | "maestro" | "mastercard" | "unionpay" | "visa";
        /**
         * @description The kind of funding of a card.
         * @enum {string}
         */
        CardFunding: "credit" | "debit" | "prepaid" | "unknown";
        /** @description A card that was validated and stored in the vault. The token can be exchanged for one payment instrument within 30 minutes. */
        CardToken: {
            /** @description The token, prefix `tok_`. */
            token: string;
            /** @description The displayable data of the card. */
            card: components["schemas"]["Card"];
            /** @description Time at which the token expires. */
            expiresAt: components["schemas"]["DateTime"];
        };
        /** @description What a merchant's page may do with its card fields: make one token. It is deleted a day after it expires. */
        ClientSession: {
            /** @description Unique identifier of the client session, prefix `cs_`. */
            id: string;
            /** @description The store, prefix `store_`. */
            storeId: string;
            /** @description The processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The only customer for whom the token can be exchanged, prefix `cus_`. Null for any. */
            customerId: string | null;
            /** @description The amount that the fields show, in minor units. Null if they show none. */
            amount: components["schemas"]["Amount"] | null;
            /** @description The currency of `amount`. Null without an amount. */
            currency: components["schemas"]["Currency"] | null;
            /** @description The origins of the pages that may show the fields. */
            origins: string[];
            /** @description The status of the client session. */
            status: components["schemas"]["ClientSessionStatus"];
            /** @description The token that the session created, prefix `tok_`. Null until a card was submitted. */
            token: string | null;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the session created its token. Null until then. */
            completedAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which the session expires: 30 minutes after its creation. */
            expiresAt: components["schemas"]["DateTime"];
            /** @description Time at which the session was created. */
            createdAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The status of a client session.
         * @enum {string}
         */
        ClientSessionStatus: "complete" | "expired" | "open";
        /** @description The number of a configuration of an instance, counted from 1, at most 2,147,483,647. */
        ConfigVersion: number;
        /** @description The address to which the merchant is sent. */
        ConnectAddress: {
            /** @description URL of the OAuth authorization page of the processor: authorization-code flow with PKCE (`S256`). Its `state` is valid once, for 10 minutes. */
            url: string;
        };
        ContinuePaymentInput: {
            /** @description The identifier of the payment, prefix `pay_`. */
            paymentId: string;
        };
        /** @description A number of objects, beyond what `Int` holds. A whole number from 0 to 9007199254740991. */
        Count: number;
        /**
         * @description A two-letter ISO 3166-1 country code in upper case, such as `US`.
         * @example US
         */
        Country: string;
        /** @description The merchant to provision. */
        CreateAccountInput: {
            /** @description The country in which the merchant is established. */
            country?: components["schemas"]["Country"] | null;
            /** @description The base currency of the account and of its first store. Default: `USD`. */
            currency?: components["schemas"]["Currency"] | null;
            /** @description Your own reference of the account, unique per partner and mode. A second call with the same reference returns the existing account unchanged. */
            externalRef?: components["schemas"]["Name"] | null;
            /** @description The merchant's legal name. */
            legalName: components["schemas"]["Name"];
            /** @description Key-value data to store with the account. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description Must be the mode of the API key, which is the default. Another mode is refused with 403 `mode_escalation_forbidden`. */
            mode?: components["schemas"]["Mode"] | null;
        };
        /** @description The sub-key to create. */
        CreateApiKeyInput: {
            /** @description CIDR ranges from which the key can be used, such as `203.0.113.0/24`, at most 50. By default it can be used from any address. */
            allowedIps?: string[] | null;
            /** @description Time from which the key is refused. Must be in the future. By default the key does not expire. */
            expiresAt?: components["schemas"]["DateTime"] | null;
            /** @description Your own label of the key, 1 to 100 characters. */
            label: components["schemas"]["Label"];
            /** @description Must be the mode of the API key of the request, which is the default. Another mode is refused with 403 `mode_escalation_forbidden`. */
            mode?: components["schemas"]["Mode"] | null;
        };
        /** @description The block rule to create. At least one criterion is required. */
        CreateBlockRuleInput: {
            /** @description The first 6 to 8 digits of the card number. */
            bin?: components["schemas"]["BinPrefix"] | null;
            /** @description A pattern searched for in the first digits of the card number: 8 digits, or 6 if the number has fewer than 16 digits. */
            binRegex?: components["schemas"]["Pattern"] | null;
            /** @description The country of the charge's billing address, or of the customer's if the charge has none. */
            country?: components["schemas"]["Country"] | null;
            /** @description Identifier of the paying customer, prefix `cus_`. */
            customerId?: string | null;
            /** @description The customer's email address, compared case-insensitively. */
            email?: components["schemas"]["Email"] | null;
            /** @description A pattern searched for in the customer's email address. */
            emailRegex?: components["schemas"]["Pattern"] | null;
            /** @description The IP address of the cardholder: the `payerIp` of a charge, or the address of a checkout page's visitor. A charge without one does not match. */
            ipAddress?: components["schemas"]["IpAddress"] | null;
            /** @description Whether the rule never expires. Cannot be true together with `ttlHours`. Default: `false`. */
            isPermanent?: boolean | null;
            /** @description Key-value data to store with the rule. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The name of the rule. */
            name: components["schemas"]["Label"];
            /** @description How the criteria are combined. Default: `OR`. */
            operator?: components["schemas"]["RuleOperator"];
            /** @description The card number, 12 to 19 digits. Spaces are ignored. Only a keyed hash of it is stored; its last four digits are returned as `panLast4`. An account can name at most 20 different numbers a day that share `bin` and `last4`; further ones are 429. */
            pan?: string | null;
            /** @description A pattern searched for in the masked card number: the digits of `bin`, `*` for each hidden digit, the last four digits, such as `42424242****4242`. */
            panRegex?: components["schemas"]["Pattern"] | null;
            /** @description Identifier of a payment, prefix `pay_`. Charges with the card of that payment match. */
            paymentId?: string | null;
            /** @description Limits the rule to one store, prefix `store_`. Required with a partner key. */
            storeId?: string | null;
            /** @description The lifetime of the rule in hours, 1 to 8760. Defaults to 24 unless `isPermanent` is true. */
            ttlHours?: components["schemas"]["TtlHours"] | null;
        };
        /** @description What the card fields of a merchant's page may do. */
        CreateClientSessionInput: {
            /** @description The amount that the fields show, in minor units. It is not charged and binds no charge. Given together with `currency`, or not at all. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description The currency of `amount`, one of the store's charge currencies. */
            currency?: components["schemas"]["Currency"] | null;
            /** @description An existing customer of the store, prefix `cus_`: the token can be exchanged for this customer only. Any customer if left out. 404 if the customer is not visible to the API key, 400 if the customer belongs to another store. */
            customerId?: string | null;
            /** @description The origins of the pages that may show the fields, 1 to 10, each exact, such as `https://shop.example.com`: https, without a path or a wildcard. In test mode http is accepted for `localhost`, names below it, and `127.0.0.1`. */
            origins: string[];
            /** @description The store at which the card is stored, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. */
            storeId?: string | null;
        };
        /** @description The customer to create. */
        CreateCustomerInput: {
            /** @description The billing address of the customer. */
            billingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The email address of the customer, unique within the store regardless of case. If a customer of the store has it already, that customer is returned unchanged. */
            email: components["schemas"]["Email"];
            /** @description The given name of the customer. */
            firstName?: components["schemas"]["Name"] | null;
            /** @description The family name of the customer. */
            lastName?: components["schemas"]["Name"] | null;
            /** @description Key-value pairs to store with the customer. Defaults to an empty object. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The telephone number of the customer. */
            phone?: components["schemas"]["ShortText"] | null;
            /** @description The shipping address of the customer. */
            shippingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The store to create the customer in, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. Defaults to the only store of the account. */
            storeId?: string | null;
            /** @description Labels of the form `<key>:<value>`, at most 50. */
            tags?: components["schemas"]["Tag"][] | null;
            /** @description A test clock of the account, prefix `clock_`, whose time applies to the customer and to all objects of the customer. It can be set only at creation: 409 `already_exists` if the customer with this email address is on no test clock, or on another one. Test mode only. 404 if the account has no such test clock. */
            testClockId?: string | null;
        };
        /** @description The funnel to create. */
        CreateFunnelInput: {
            /** @description The edges between the steps, at most 200. They must not form a cycle. */
            edges: components["schemas"]["FunnelEdgeInput"][];
            /** @description Whether sessions that name no funnel start with this one. It then replaces the current default of the store. Default: `false`. */
            isDefault?: boolean | null;
            /** @description The name of the funnel. */
            name: components["schemas"]["Label"];
            /** @description The steps of the funnel, 1 to 50. Exactly one is the entry, from which all others can be reached. */
            nodes: components["schemas"]["FunnelNodeInput"][];
            /** @description The store of the funnel, prefix `store_`. Required with a partner key, and with a sub-key if its account has several stores. */
            storeId?: string | null;
        };
        /** @description The funnel session to create. */
        CreateFunnelSessionInput: {
            /** @description The customer, if known, prefix `cus_`. A customer sees the same variants in every session. 404 if it is not a customer of the account. */
            customerId?: string | null;
            /** @description The funnel, prefix `funnel_`. Defaults to the default funnel of the store; 404 if the store has none. */
            funnelId?: string | null;
            /** @description The store, prefix `store_`. Not required if `funnelId` is given, or with a sub-key whose account has one store. */
            storeId?: string | null;
        };
        /** @description The order to create. */
        CreateOrderInput: {
            /** @description The currency of the order, an ISO 4217 code. A payment of the order must be in it. */
            currency: components["schemas"]["Currency"];
            /** @description The customer who buys, prefix `cus_`. 404 if the account has no such customer. */
            customerId?: string | null;
            /** @description The line items, 1 to 100. Their sum is at most 99,999,999,999 minor units. */
            items: components["schemas"]["OrderItemInput"][];
            /** @description Key-value pairs to store with the order. Defaults to an empty object. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The store to create the order in, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. Defaults to the only store of the account. */
            storeId?: string | null;
        };
        /** @description The payment flow to create. An account has at most 100; further ones are refused with 409 `limit_reached`. */
        CreatePaymentFlowInput: {
            /** @description At most 20 processors, each at most once, and only with the strategy `cascade`. The fallback processors of a cascade, in order. A processor is tried at most once per charge. Processors of `processors` can be fallbacks as well. */
            fallbacks?: components["schemas"]["FlowFallbackInput"][] | null;
            /** @description The number of processors that a cascade can try after the first one, 0 to 10. Default: `3`. */
            maxRetries?: components["schemas"]["RetryCount"];
            /** @description The name of the payment flow. */
            name: components["schemas"]["Label"];
            /** @description 1 to 20 processors of one account, each at most once. The processors from which the first one of a charge is chosen, by weight. Processors that are disabled, not connected or do not support the currency are skipped. If none remains, a cascade starts with its first fallback; otherwise the charge is `failed` with `no_processor`. */
            processors: components["schemas"]["FlowProcessorInput"][];
            /** @description Whether customers keep their processor. It is the processor of this flow that last approved one of the customer's latest 20 charges; until there is one, the same weighted choice is made for every charge. Default: `false`. */
            sticky?: boolean;
            /** @description A store of the account, prefix `store_`. If it is given, processors of other accounts are refused with 400. The flow is available to the whole account. Defaults to the account of the processors. */
            storeId?: string | null;
            /** @description Whether a charge can continue with fallbacks. Default: `simple`. */
            strategy?: components["schemas"]["FlowStrategy"];
            /** @description Whether cardholders are challenged (3D Secure), unless the charge specifies it. Default: `automatic`. */
            threeDs?: components["schemas"]["FlowThreeDs"];
        };
        /** @description The token to exchange for a payment instrument, and the customer: exactly one of `customerId` and `customerData`. */
        CreatePaymentInstrumentInput: {
            /** @description An existing customer of the store, prefix `cus_`. 404 if the customer is not visible to the API key, 400 if the customer belongs to another store. */
            customerId: string;
            /** @description The store of the payment instrument, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. */
            storeId?: string | null;
            /** @description The token of the card, prefix `tok_`. 409 `invalid_state` if it was used already. 404 if it has expired or does not belong to the account. */
            token: string;
        } | {
            /** @description The customer by email address. */
            customerData: components["schemas"]["CustomerDataInput"];
            /** @description The store of the payment instrument, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. */
            storeId?: string | null;
            /** @description The token of the card, prefix `tok_`. 409 `invalid_state` if it was used already. 404 if it has expired or does not belong to the account. */
            token: string;
        };
        /** @description The plugin instance to create. Without `presetName` and `config` its configuration is the preset `default`, or else the first preset, or else empty. */
        CreatePluginInstanceInput: {
            /** @description The configuration of the instance, at most 64 KiB. It must satisfy the schema of the deployment. */
            config?: components["schemas"]["JSONObject"] | null;
            /** @description The deployment to create an instance of, prefix `dep_`. */
            deploymentId: string;
            /** @description The display name of the instance. Defaults to the name of the plugin. */
            name?: components["schemas"]["Name"] | null;
            /** @description The name of the preset to use as the configuration. Must not be given together with `config`. */
            presetName?: string | null;
            /** @description The store of the instance, prefix `store_`, in the account of the deployment. Defaults to the store that the version was deployed through. */
            storeId?: string | null;
        };
        /** @description The processor to create. */
        CreateProcessorInput: {
            /** @description Whether charges can be sent to the processor. Default: `true`. */
            enabled?: boolean;
            /** @description The name of the processor. */
            name: components["schemas"]["Label"];
            /**
             * @description The options of the processor. An option that its type does not have is refused with 400. Secret options are stored encrypted and not returned.
             *
             *     `test`: `latencyMs` – The delay of the answer to charges, captures, voids and refunds, from 0 to 30000 ms. They are recorded at once. If the delay exceeds the timeout of the platform, the outcome is unknown until resolved. `declineRate` – The share of charges that are declined, from 0 to 1, regardless of the card. `declineCode` – The decline code of those charges: `card_declined`, `insufficient_funds`, `lost_card`, `expired_card`, `incorrect_cvc`, `authentication_failed`. The default is `card_declined`. A cascade continues after a soft decline. `errorRate` – The share of charges, captures, voids and refunds that fail with an error, from 0 to 1. Nothing is charged, captured, voided or refunded, and a cascade continues. `lostAnswerRate` – The share of charges, captures, voids and refunds that are recorded but whose answer is lost, from 0 to 1. Their outcome is unknown until it is resolved. `down` – Whether the processor is unreachable, including for queries. Payments in progress remain in processing until it is reachable again.
             *
             *     `stripe`: `secretKey` (secret) – The secret or restricted API key: `sk_test_…` or `rk_test_…` in test mode, `sk_live_…` or `rk_live_…` in live mode. `webhookSecret` (secret) – The signing secret of its webhooks, `whsec_…`. `accountId` – The connected account on whose behalf calls are made, `acct_…`. `accessToken` (secret) – The access token obtained by connecting (`/processors/cardprocessor-connect/initiate`). It cannot be set here; null disconnects the processor. `refreshToken` (secret) – The refresh token obtained by connecting. It cannot be set here; null removes it.
             */
            options?: components["schemas"]["JSONObject"] | null;
            /** @description A store of the account, prefix `store_`. Required with a partner key. The processor is available to the whole account. */
            storeId?: string | null;
            /** @description The currencies that the processor supports. By default, or if empty, every currency. */
            supportedCurrencies?: components["schemas"]["Currency"][] | null;
            /** @description The service that processes cards. `test` is refused with 400 in live mode. */
            type: components["schemas"]["ProcessorType"];
        };
        /** @description The product to create. */
        CreateProductInput: {
            /** @description A description of the product. */
            description?: components["schemas"]["ShortText"] | null;
            /** @description The name of the product. */
            name: components["schemas"]["Name"];
            /** @description The prices of the product, 1 to 50. */
            prices: components["schemas"]["PriceInput"][];
            /** @description The store to create the product in, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. Defaults to the only store of the account. */
            storeId?: string | null;
        };
        /** @description The store to create. */
        CreateStoreInput: {
            /** @description The currency in which the store does its accounting, an ISO 4217 code. Defaults to the currency of the account. */
            baseCurrency?: components["schemas"]["Currency"] | null;
            /** @description The currencies in which the store can charge, at least one. Defaults to the base currency alone. */
            chargeCurrencies?: components["schemas"]["Currency"][] | null;
            /** @description The name of the store. */
            name: components["schemas"]["Name"];
            /** @description The payment flow that routes the charges of the store unless a charge names another one, prefix `flow_`. 404 if the account has no such payment flow. */
            paymentFlowId?: string | null;
            /** @description The processing account to create the store in, prefix `tpa_`. Required with a partner key. With a sub-key it defaults to the account of the key. */
            platformAccountId?: string | null;
            /** @description The currencies in which the store shows prices, at least one. Defaults to the base currency alone. */
            presentmentCurrencies?: components["schemas"]["Currency"][] | null;
            /** @description The system the store runs on. Default: `platform`. */
            type?: components["schemas"]["StoreType"] | null;
        };
        /** @description The subscription to create. */
        CreateSubscriptionInput: {
            /** @description The customer who pays, prefix `cus_`. 404 if the customer is not visible to the API key. 409 `limit_reached` if the customer has 500 subscriptions that are not canceled. */
            customerId: string;
            /** @description Whether the first period is charged now, with the customer present to answer a challenge. If true, the subscription is `incomplete` until the charge has succeeded. If false, nothing is charged now, the subscription is `active`, and the first charge is made at the end of the first period, or by `rebill`. Default: `true`. */
            initiatePayment?: boolean;
            /** @description Key-value pairs to store with the subscription. Defaults to an empty object. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The payment instrument to charge, prefix `pi_`. Defaults to the default payment instrument of the customer; 400 if there is none. 409 `invalid_state` if it is inactive. */
            paymentInstrumentId?: string | null;
            /** @description The price, prefix `price_`: a recurring price of the customer's store, in one of the charge currencies of the store, otherwise 400. 404 if the account has no such price. */
            priceId: string;
            /** @description The number of units per period, 1 to 1,000,000. The amount of a period is at most 99,999,999,999 minor units. Default: `1`. */
            quantity?: components["schemas"]["Quantity"];
            /** @description The URL to which the cardholder is redirected after a challenge of the first charge, including a retry by `rebill` while the subscription is `incomplete`. Must be https in live mode. */
            returnUrl?: components["schemas"]["Url"] | null;
            /** @description The customer's store, prefix `store_`. Optional. */
            storeId?: string | null;
            /**
             * Format: int32
             * @description The length of the trial in days, 0 to 730. Defaults to the trial of the price. With a trial nothing is charged before it ends.
             */
            trialDays?: number | null;
        };
        /** @description The test clock to create. An account has at most 1000 test clocks. They cannot be deleted. */
        CreateTestClockInput: {
            /** @description The name of the test clock. */
            name: components["schemas"]["Label"];
            /** @description The initial time of the test clock, in the past or in the future, from 2000-01-01 to 2100-01-01. */
            now: components["schemas"]["DateTime"];
            /** @description A store of the account to create the test clock in, prefix `store_`. Required with a partner key. With a sub-key it defaults to the account of the key. */
            storeId?: string | null;
        };
        /** @description The webhook endpoint to create. There can be 20 endpoints per account, and 20 endpoints for all accounts of a partner in each mode. */
        CreateWebhookEndpointInput: {
            /** @description A description of the endpoint. */
            description?: components["schemas"]["ShortText"] | null;
            /** @description The types of event to send. At least one. */
            eventTypes: components["schemas"]["EventType"][];
            /** @description Whether to send the events of one object one after the other. An event that fails then delays the later events of its object. Default: `false`. */
            ordered?: boolean | null;
            /** @description The store whose events are sent, prefix `store_`. If it is left out, events of the whole account are sent with a sub-key, and events of all the partner's accounts in the mode of the key with a partner key. */
            storeId?: string | null;
            /** @description The URL to send events to. 400 if it belongs to a private network, or is not https in live mode. */
            url: components["schemas"]["Url"];
        };
        /** @description A new API key with its secret. The secret is not returned again. */
        CreatedApiKey: {
            /** @description Unique identifier of the key, prefix `ak_`. */
            id: string;
            /** @description The leading part of the key. It is not secret and can be stored, logged and displayed. */
            prefix: string;
            /** @description The whole key. Null if the answer is a replay under the same `Idempotency-Key`; a lost secret cannot be recovered. */
            secret: string | null;
            /** @description The processing account of a sub-key, prefix `tpa_`. Null for a partner key. */
            platformAccountId: string | null;
            /** @description The label that was given to the key. */
            label: string;
            /** @description Time at which the key was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time from which calls with the key are refused with 401. Null if the key does not expire. */
            expiresAt: components["schemas"]["DateTime"] | null;
            /** @description The CIDR ranges from which the key can be used; calls from other addresses are refused with 403 `ip_not_allowed`. Empty if the key can be used from any address. */
            allowedIps: string[];
        };
        /** @description A new client session, with its secret. */
        CreatedClientSession: {
            /** @description Unique identifier of the client session, prefix `cs_`. */
            id: string;
            /** @description The secret that opens the session, for the page of one visitor. Only this answer contains it; the platform stores its hash. */
            clientSecret: string;
            /** @description Time at which the session expires: 30 minutes after its creation. */
            expiresAt: components["schemas"]["DateTime"];
            /** @description URL of the script that mounts the fields. Its content never changes. */
            scriptUrl: string;
            /** @description The `integrity` attribute of the script element. */
            scriptIntegrity: string;
            /** @description The `returnUrl` of a charge of the card: a page that ends the layer in which the script shows a challenge. */
            returnUrl: string;
        };
        /** @description A new payment instrument and its customer. */
        CreatedPaymentInstrument: {
            /** @description The new payment instrument. */
            paymentInstrument: components["schemas"]["PaymentInstrument"];
            /** @description The customer that the payment instrument belongs to. */
            customer: components["schemas"]["Customer"];
        };
        /**
         * @description A three-letter ISO 4217 currency code in upper case, such as `USD`.
         * @example USD
         */
        Currency: string;
        /** @description A person who buys at a store. Within a store, an email address belongs to one customer. */
        Customer: {
            /** @description Unique identifier of the customer, prefix `cus_`. */
            id: string;
            /** @description The store that the customer belongs to, prefix `store_`. */
            storeId: string;
            /** @description The name of the store that the customer belongs to. */
            storeName: string;
            /** @description The processing account that the customer belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The email address of the customer, as it was given. */
            email: components["schemas"]["Email"];
            /** @description The given name of the customer. Null if not set. */
            firstName: string | null;
            /** @description The family name of the customer. Null if not set. */
            lastName: string | null;
            /** @description The telephone number of the customer. Null if not set. */
            phone: string | null;
            /** @description Labels of the form `<key>:<value>`. */
            tags: components["schemas"]["Tag"][];
            /** @description The billing address of the customer. Null if not set. */
            billingAddress: components["schemas"]["Address"] | null;
            /** @description The shipping address of the customer. Null if not set. */
            shippingAddress: components["schemas"]["Address"] | null;
            /** @description Key-value pairs stored with the customer. */
            metadata: components["schemas"]["Metadata"];
            /** @description The latest order of the customer, prefix `ord_`. Null if the customer has none. */
            lastOrderId: string | null;
            /** @description The last four digits of the card of the default payment instrument. Null if the customer has none. */
            paymentInstrumentCardLast4: string | null;
            /** @description The test clock whose time applies to the customer, prefix `clock_`. Null if real time applies. */
            testClockId: string | null;
            /** @description Time at which the customer was deleted and its personal data erased: `email` is a pseudonym then. Null for the others. */
            deletedAt: components["schemas"]["DateTime"] | null;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the customer was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the customer last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `customer/created`. */
        CustomerCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "customer/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Customer"];
            };
        };
        /** @description The data stored about a customer. */
        CustomerData: {
            /** @description The customer. */
            customer: components["schemas"]["Customer"];
            /** @description The payment instruments of the customer. */
            paymentInstruments: components["schemas"]["CustomerDataPaymentInstruments"];
            /** @description The orders of the customer. */
            orders: components["schemas"]["CustomerDataOrders"];
            /** @description The payments of the customer. */
            payments: components["schemas"]["CustomerDataPayments"];
            /** @description The refunds of the customer. */
            refunds: components["schemas"]["CustomerDataRefunds"];
            /** @description The subscriptions of the customer. */
            subscriptions: components["schemas"]["CustomerDataSubscriptions"];
            /** @description The disputes of the customer. */
            disputes: components["schemas"]["CustomerDataDisputes"];
            /** @description The events of the customer. */
            events: components["schemas"]["CustomerDataEvents"];
        };
        /** @description The disputes of a customer. */
        CustomerDataDisputes: {
            /** @description The newest 500 disputes, the newest first. */
            items: components["schemas"]["Dispute"][];
            /** @description Whether the customer has more than 500 disputes. */
            hasMore: boolean;
        };
        /** @description The events of a customer. */
        CustomerDataEvents: {
            /** @description The newest 500 events, the newest first. */
            items: components["schemas"]["Event"][];
            /** @description Whether the customer has more than 500 events. */
            hasMore: boolean;
        };
        /** @description The customer of a payment instrument, by email address: the customer of the store that has it, or a new customer. */
        CustomerDataInput: {
            /** @description The billing address of a new customer. */
            billingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The email address of the customer. */
            email: components["schemas"]["Email"];
            /** @description The given name of a new customer. */
            firstName?: components["schemas"]["Name"] | null;
            /** @description The family name of a new customer. */
            lastName?: components["schemas"]["Name"] | null;
            /** @description The telephone number of a new customer. */
            phone?: components["schemas"]["ShortText"] | null;
        };
        /** @description The orders of a customer. */
        CustomerDataOrders: {
            /** @description The newest 500 orders, the newest first. */
            items: components["schemas"]["Order"][];
            /** @description Whether the customer has more than 500 orders. */
            hasMore: boolean;
        };
        /** @description The payment instruments of a customer. */
        CustomerDataPaymentInstruments: {
            /** @description The newest 500 payment instruments, the newest first. */
            items: components["schemas"]["PaymentInstrument"][];
            /** @description Whether the customer has more than 500 payment instruments. */
            hasMore: boolean;
        };
        /** @description The payments of a customer. */
        CustomerDataPayments: {
            /** @description The newest 500 payments, the newest first. */
            items: components["schemas"]["CustomerPayment"][];
            /** @description Whether the customer has more than 500 payments. */
            hasMore: boolean;
        };
        /** @description The refunds of a customer. */
        CustomerDataRefunds: {
            /** @description The newest 500 refunds, the newest first. */
            items: components["schemas"]["Refund"][];
            /** @description Whether the customer has more than 500 refunds. */
            hasMore: boolean;
        };
        /** @description The subscriptions of a customer. */
        CustomerDataSubscriptions: {
            /** @description The newest 500 subscriptions, the newest first. */
            items: components["schemas"]["Subscription"][];
            /** @description Whether the customer has more than 500 subscriptions. */
            hasMore: boolean;
        };
        /** @description Filters for a list of customers. A customer is returned only if it matches every filter given. */
        CustomerFilters: {
            /** @description Compares the time at which the customer was created. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Compares the email address of the customer. */
            email?: components["schemas"]["TextFilter"];
            /** @description Compares the given name of the customer. */
            firstName?: components["schemas"]["TextFilter"];
            /** @description Compares the family name of the customer. */
            lastName?: components["schemas"]["TextFilter"];
            /** @description Returns customers with this telephone number, as it was given. */
            phone?: components["schemas"]["ShortText"];
            /** @description Returns customers of this processing account, prefix `tpa_`. */
            platformAccountId?: string;
            /** @description Returns customers of any of these stores, prefix `store_`. */
            storeId?: string[];
            /** @description Returns customers that have at least one of these tags. */
            tags?: components["schemas"]["Tag"][];
        };
        /** @description A page of customers. */
        CustomerPage: {
            /** @description The customers of this page. Empty after the last page. */
            items: components["schemas"]["Customer"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
            /** @description The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as the first one. Null on the last page, if `sortBy` is given, and for lists without cursors. */
            nextCursor: string | null;
        };
        /** @description A payment of a customer, with the addresses that were given for it. */
        CustomerPayment: {
            /** @description The payment. */
            payment: components["schemas"]["Payment"];
            /** @description The billing address that was given for the payment. Null if none was. */
            billingAddress: components["schemas"]["Address"] | null;
            /** @description The shipping address that was given for the payment. Null if none was. */
            shippingAddress: components["schemas"]["Address"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        CustomerSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["CustomerSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        CustomerSortField: "createdAt" | "email" | "firstName" | "lastName";
        /** @description The event `customer/updated`. */
        CustomerUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "customer/updated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Customer"];
            };
        };
        /**
         * @description A comparison of times. In REST the words have hyphens: `is-after-date`.
         * @enum {string}
         */
        DateCondition: "is-after-date" | "is-before-date" | "is-between-date" | "is-equal-date";
        /** @description A condition on a time. A date without a time is the whole day in UTC: after it is after its end, before it before its start, and between two days includes both. */
        DateFilter: {
            /** @description The comparison. */
            condition: components["schemas"]["DateCondition"];
            /** @description The dates to compare with: two for `is_between_date` (REST: `is-between-date`), one otherwise. */
            value: components["schemas"]["DateOrDateTime"][];
        };
        /**
         * @description A date (`2026-01-31`, the whole day in UTC) or a time in ISO 8601 format with an offset.
         * @example 2026-01-31
         * @example 2026-01-31T12:00:00Z
         */
        DateOrDateTime: string;
        /**
         * Format: date-time
         * @description A time in ISO 8601 format, such as `2026-01-31T12:00:00.000Z`. Input must have an offset, of any value; output is in UTC with milliseconds.
         */
        DateTime: string;
        /** @description The result of a deletion. */
        DeleteResult: {
            /** @description Identifier of the deleted object. */
            id: string;
            /** @description Always true. */
            deleted: boolean;
        };
        /** @description The version of a plugin to deploy. The request has at most 5 MiB over REST and 1 MiB over GraphQL. */
        DeployPluginInput: {
            /** @description Whether to create an instance in the store as well, unless the store has one of this deployment. Its configuration is the preset `default`, or else the first preset, or else empty; it must satisfy the schema. Default: `false`. */
            autoInstantiate?: boolean | null;
            /** @description The files of the plugin, at most 300. A page is served from `<path>.html`, `<path>/index.html` or `index.html`. The files of an account have at most 256 MiB, where equal files count once; above that, 409. */
            inlineAssets?: components["schemas"]["InlineAsset"][] | null;
            /** @description The manifest of the plugin. */
            manifest: components["schemas"]["PluginManifest"];
            /** @description Whether to replace the version if it is already deployed. The deployment keeps its identifier, and its instances keep their configurations. If false, it is 409 for a version that is already deployed. Default: `false`. */
            overwrite?: boolean | null;
            /** @description Configurations by name, from which instances can be created: at most 50, of 64 KiB each and 256 KiB in total. Each must satisfy the schema. Defaults to none. */
            presets?: components["schemas"]["JSONObject"] | null;
            /** @description The store to deploy through, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. Otherwise defaults to the only store of the account. */
            storeId?: string | null;
        };
        /** @description The result of a deployment. */
        DeployedPlugin: {
            /** @description The deployment, prefix `dep_`. Unchanged if the version was overwritten. */
            deploymentId: string;
            /** @description Your identifier of the plugin. */
            pluginId: string;
            /** @description The semantic version of the plugin. */
            version: string;
            /** @description The address at which the deployment can be previewed before it is mounted. */
            url: string;
            /** @description The instance of the deployment in the store. Null unless `autoInstantiate` was set. */
            instance?: components["schemas"]["PluginInstance"];
            /** @description The instances whose live configuration violates the schema, prefix `pin_`. It stays live; the next configuration must satisfy the schema. Null if there are none. */
            violatingInstances?: string[];
        };
        /** @description A payment that the cardholder contests at the bank. The disputed amount is debited and cannot be refunded while the dispute is open or once it is lost; it returns when the dispute is won. Every dispute is recorded, whatever its amount and currency, the state of the payment, and the status of the account and its partner. */
        Dispute: {
            /** @description Unique identifier of the dispute, prefix `dp_`. */
            id: string;
            /** @description The disputed payment, prefix `pay_`. */
            paymentId: string;
            /** @description The store of the payment, prefix `store_`. */
            storeId: string;
            /** @description The processing account of the payment, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The processor that reported the dispute, prefix `proc_`. */
            processorId: string;
            /** @description The processor's identifier of the dispute. */
            processorReference: string;
            /** @description The disputed amount in minor units of the currency, as the processor reports it. It may exceed what was captured and not refunded; the excess is a loss in the ledger. */
            amount: components["schemas"]["DisputedAmount"];
            /** @description The currency of the dispute as the processor reports it, an ISO 4217 code. Nothing of the payment can be refunded while the currency differs from that of the payment, unless the dispute is won. */
            currency: components["schemas"]["Currency"];
            /** @description The status of the dispute. */
            status: components["schemas"]["DisputeStatus"];
            /** @description The reason given by the cardholder's bank. */
            reason: components["schemas"]["DisputeReason"];
            /** @description Time until which evidence is accepted. Evidence is submitted at the processor. Null if the processor reports no time. */
            evidenceDueAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which the dispute was won or lost. Null while it is open. */
            closedAt: components["schemas"]["DateTime"] | null;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the platform recorded the dispute. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the dispute last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `dispute/created`. */
        DisputeCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dispute/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Dispute"];
            };
        };
        /** @description Filters for a list of disputes. A dispute is returned only if it matches every filter given. */
        DisputeFilters: {
            /** @description Compares the time at which the dispute was recorded. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Compares the time until which evidence is accepted. */
            evidenceDueAt?: components["schemas"]["DateFilter"];
            /** @description Returns disputes of this payment, prefix `pay_`. */
            paymentId?: string;
            /** @description Returns disputes of this processing account, prefix `tpa_`. */
            platformAccountId?: string;
            /** @description Returns disputes of any of these processors, prefix `proc_`. */
            processorId?: string[];
            /** @description Returns disputes with any of these reasons. */
            reason?: components["schemas"]["DisputeReason"][];
            /** @description Returns disputes with any of these statuses. */
            status?: components["schemas"]["DisputeStatus"][];
            /** @description Returns disputes of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of disputes. */
        DisputePage: {
            /** @description The disputes of this page. Empty after the last page. */
            items: components["schemas"]["Dispute"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /**
         * @description The reason given by the cardholder's bank; `general` for a reason that has no value of its own.
         * @enum {string}
         */
        DisputeReason: "bank_cannot_process" | "check_returned" | "credit_not_processed" | "customer_initiated" | "debit_not_authorized" | "duplicate" | "fraudulent" | "general" | "incorrect_account_details" | "insufficient_funds" | "noncompliant" | "product_not_received" | "product_unacceptable" | "subscription_canceled" | "unrecognized";
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        DisputeSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["DisputeSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        DisputeSortField: "createdAt" | "evidenceDueAt";
        /**
         * @description The status of a dispute.
         * @enum {string}
         */
        DisputeStatus: "lost" | "needs_response" | "under_review" | "won";
        /** @description The event `dispute/updated`. */
        DisputeUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dispute/updated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Dispute"];
            };
        };
        /** @description An amount of money in minor units that a processor reports, which no limit of payments bounds: a whole number from 1 to 9000000000000000. */
        DisputedAmount: number;
        /**
         * @description The events for which an edge can be taken.
         * @enum {string}
         */
        EdgeConditionWhen: "default" | "expression" | "offer_accepted" | "offer_declined" | "payment_declined" | "payment_succeeded";
        /**
         * Format: email
         * @description An email address of at most 254 characters. Email addresses are compared case-insensitively.
         */
        Email: string;
        /**
         * @description The deployment that answers.
         * @enum {string}
         */
        Environment: "development" | "production" | "sandbox";
        /**
         * @description What went wrong, for programs.
         * @enum {string}
         */
        ErrorCode: "CONFLICT" | "FORBIDDEN" | "GONE" | "HEADERS_TOO_LARGE" | "INPUT_PARSE_ERROR" | "INTERNAL_SERVER_ERROR" | "METHOD_NOT_ALLOWED" | "MISDIRECTED_REQUEST" | "NOT_AUTHORIZED" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_NOT_FOUND" | "REQUEST_TIMEOUT" | "SERVICE_UNAVAILABLE" | "TOO_MANY_REQUESTS" | "UNSUPPORTED_MEDIA_TYPE";
        /** @description A record of one state change of one object, written in the database transaction of the change. It never changes. */
        Event: components["schemas"]["AccountCreatedEvent"] | components["schemas"]["AccountUpdatedEvent"] | components["schemas"]["AccountKybUpdatedEvent"] | components["schemas"]["CustomerCreatedEvent"] | components["schemas"]["CustomerUpdatedEvent"] | components["schemas"]["PaymentInstrumentCreatedEvent"] | components["schemas"]["PaymentInstrumentDeletedEvent"] | components["schemas"]["PaymentCreatedEvent"] | components["schemas"]["PaymentActionRequiredEvent"] | components["schemas"]["PaymentAuthorizedEvent"] | components["schemas"]["PaymentSucceededEvent"] | components["schemas"]["PaymentRejectedEvent"] | components["schemas"]["PaymentFailedEvent"] | components["schemas"]["PaymentCapturedEvent"] | components["schemas"]["PaymentVoidedEvent"] | components["schemas"]["PaymentRefundedEvent"] | components["schemas"]["PaymentRefundFailedEvent"] | components["schemas"]["DisputeCreatedEvent"] | components["schemas"]["DisputeUpdatedEvent"] | components["schemas"]["OrderCreatedEvent"] | components["schemas"]["OrderPaidEvent"] | components["schemas"]["OrderFailedEvent"] | components["schemas"]["OrderRefundedEvent"] | components["schemas"]["OrderRefundFailedEvent"] | components["schemas"]["OrderCanceledEvent"] | components["schemas"]["SubscriptionCreatedEvent"] | components["schemas"]["SubscriptionActivatedEvent"] | components["schemas"]["SubscriptionUpdatedEvent"] | components["schemas"]["SubscriptionPausedEvent"] | components["schemas"]["SubscriptionResumedEvent"] | components["schemas"]["SubscriptionCanceledEvent"] | components["schemas"]["SubscriptionCancelScheduledEvent"] | components["schemas"]["SubscriptionPastDueEvent"] | components["schemas"]["SubscriptionActionRequiredEvent"] | components["schemas"]["SubscriptionRebillUpcomingEvent"] | components["schemas"]["SubscriptionRebillSucceededEvent"] | components["schemas"]["SubscriptionRebillDeclinedEvent"] | components["schemas"]["FunnelStepEnteredEvent"] | components["schemas"]["FunnelConvertedEvent"] | components["schemas"]["PluginDeployedEvent"] | components["schemas"]["PluginConfigUpdatedEvent"] | components["schemas"]["WebhookTestEvent"];
        /** @description Filters for a list of events. An event is returned only if it matches every filter given. */
        EventFilters: {
            /** @description Compares the time at which the change was made. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Returns events of the object with this identifier. */
            objectId?: string;
            /** @description Returns events of any of these stores, prefix `store_`. */
            storeId?: string[];
            /** @description Returns events of any of these types. */
            type?: components["schemas"]["EventType"][];
        };
        /** @description A page of events. */
        EventPage: {
            /** @description The events of this page. Empty after the last page. */
            items: components["schemas"]["Event"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
            /** @description The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as the first one. Null on the last page, if `sortBy` is given, and for lists without cursors. */
            nextCursor: string | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        EventSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["EventSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        EventSortField: "createdAt";
        /**
         * @description The type of an event, such as `payment/succeeded`. One of: `account/created`, `account/updated`, `account/kybUpdated`, `customer/created`, `customer/updated`, `paymentInstrument/created`, `paymentInstrument/deleted`, `payment/created`, `payment/actionRequired`, `payment/authorized`, `payment/succeeded`, `payment/rejected`, `payment/failed`, `payment/captured`, `payment/voided`, `payment/refunded`, `payment/refundFailed`, `dispute/created`, `dispute/updated`, `order/created`, `order/paid`, `order/failed`, `order/refunded`, `order/refundFailed`, `order/canceled`, `subscription/created`, `subscription/activated`, `subscription/updated`, `subscription/paused`, `subscription/resumed`, `subscription/canceled`, `subscription/cancelScheduled`, `subscription/pastDue`, `subscription/actionRequired`, `subscription/rebillUpcoming`, `subscription/rebillSucceeded`, `subscription/rebillDeclined`, `funnel/stepEntered`, `funnel/converted`, `plugin/deployed`, `plugin/configUpdated`.
         * @enum {string}
         */
        EventType: "account/created" | "account/updated" | "account/kybUpdated" | "customer/created" | "customer/updated" | "paymentInstrument/created" | "paymentInstrument/deleted" | "payment/created" | "payment/actionRequired" | "payment/authorized" | "payment/succeeded" | "payment/rejected" | "payment/failed" | "payment/captured" | "payment/voided" | "payment/refunded" | "payment/refundFailed" | "dispute/created" | "dispute/updated" | "order/created" | "order/paid" | "order/failed" | "order/refunded" | "order/refundFailed" | "order/canceled" | "subscription/created" | "subscription/activated" | "subscription/updated" | "subscription/paused" | "subscription/resumed" | "subscription/canceled" | "subscription/cancelScheduled" | "subscription/pastDue" | "subscription/actionRequired" | "subscription/rebillUpcoming" | "subscription/rebillSucceeded" | "subscription/rebillDeclined" | "funnel/stepEntered" | "funnel/converted" | "plugin/deployed" | "plugin/configUpdated";
        /**
         * @description The reason for which a charge or modification did not succeed.
         * @enum {string}
         */
        FailureCode: "authentication_failed" | "blocked_by_rule" | "card_declined" | "expired_card" | "incorrect_cvc" | "insufficient_funds" | "lost_card" | "no_processor" | "processing_error";
        /** @description The position of a fallback in a payment flow. The lowest is tried first. A whole number from 0 to 100. */
        FallbackOrder: number;
        /** @description A fallback processor of a cascade. */
        FlowFallback: {
            /** @description Identifier of a processor of the account, prefix `proc_`. */
            processorId: string;
            /** @description The position of the fallback. The lowest is tried first. */
            order: components["schemas"]["FallbackOrder"];
        };
        /** @description A fallback processor of a cascade. */
        FlowFallbackInput: {
            /** @description The position of the fallback. The lowest is tried first. 0 to 100, unique within the flow. */
            order: components["schemas"]["FallbackOrder"];
            /** @description Identifier of a processor of the account, prefix `proc_`. */
            processorId: string;
        };
        /** @description A processor from which a payment flow chooses. */
        FlowProcessor: {
            /** @description Identifier of a processor of the account, prefix `proc_`. */
            processorId: string;
            /** @description The share of charges, relative to the sum of the weights: the weights 1 and 3 result in one quarter and three quarters. */
            weight: components["schemas"]["RouteWeight"];
        };
        /** @description A processor from which a payment flow chooses. */
        FlowProcessorInput: {
            /** @description Identifier of a processor of the account, prefix `proc_`. */
            processorId: string;
            /** @description The share of charges, relative to the sum of the weights: the weights 1 and 3 result in one quarter and three quarters. 1 to 10000. Default: `1`. */
            weight?: components["schemas"]["RouteWeight"];
        };
        /**
         * @description The number of processors that a charge can be sent to.
         * @enum {string}
         */
        FlowStrategy: "cascade" | "simple";
        /**
         * @description Whether cardholders are challenged (3D Secure), unless the charge specifies it.
         * @enum {string}
         */
        FlowThreeDs: "automatic" | "force" | "skip";
        /** @description The steps through which a visitor of a store buys, and the edges between them. */
        Funnel: {
            /** @description Unique identifier of the funnel, prefix `funnel_`. */
            id: string;
            /** @description The store of the funnel, prefix `store_`. */
            storeId: string;
            /** @description The processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The name of the funnel. */
            name: components["schemas"]["Label"];
            /** @description Whether sessions that name no funnel start with this one. A store has at most one default funnel. */
            isDefault: boolean;
            /**
             * Format: int32
             * @description The number of the current version, from 1. Each change of steps or edges makes a new version. A session keeps the version with which it started.
             */
            version: number;
            /** @description The public URL of the funnel. Opening it starts a session and redirects to its first page. 404 if the entry has no page. */
            entryUrl: string;
            /** @description The steps of the funnel. */
            nodes: components["schemas"]["FunnelNode"][];
            /** @description The edges between the steps. */
            edges: components["schemas"]["FunnelEdge"][];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the funnel was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the funnel was last updated. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `funnel/converted`. */
        FunnelConvertedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "funnel/converted";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SentFunnelSession"];
            };
        };
        /** @description A connection from one step of a funnel to another. */
        FunnelEdge: {
            /** @description The id of the step that the edge leaves. */
            source: string;
            /** @description The id of the step that the edge enters. */
            target: string;
            /** @description The condition under which the edge is followed. */
            condition: components["schemas"]["FunnelEdgeCondition"];
            /**
             * Format: int32
             * @description An integer from -1,000,000 to 1,000,000. Of the edges that match, the one with the lowest priority is followed, and of equal ones the first in the list.
             */
            priority: number;
        };
        /** @description The condition of an edge. */
        FunnelEdgeCondition: {
            /** @description The events for which the edge can be taken. */
            when: components["schemas"]["EdgeConditionWhen"];
            /** @description A CEL expression of at most 500 characters. Its variables are `event {id, type, data}`, `payment {id, status, amount, currency, failureCode}`, `order {id, status, amount, currency}`, `customer {id, email, country, tags}` and `session {id, stepId, variantId, moves}`. Beside another `when` it narrows that condition. It is false if it cannot be evaluated. It has comparisons, boolean logic, `in` and `size()`. Calls that iterate (`all`, `exists`, `exists_one`, `map`, `filter`), time zones, and `+` on a value of `event` are 400. Null if there is none. */
            expression: string | null;
        };
        /** @description The condition of an edge. */
        FunnelEdgeConditionInput: {
            /** @description A CEL expression of at most 500 characters. Its variables are `event {id, type, data}`, `payment {id, status, amount, currency, failureCode}`, `order {id, status, amount, currency}`, `customer {id, email, country, tags}` and `session {id, stepId, variantId, moves}`. Beside another `when` it narrows that condition. It is false if it cannot be evaluated. It has comparisons, boolean logic, `in` and `size()`. Calls that iterate (`all`, `exists`, `exists_one`, `map`, `filter`), time zones, and `+` on a value of `event` are 400. Required with `when: expression`. */
            expression?: string | null;
            /** @description The events for which the edge can be taken. */
            when: components["schemas"]["EdgeConditionWhen"];
        };
        /** @description A connection from one step of a funnel to another. */
        FunnelEdgeInput: {
            /** @description The condition under which the edge is followed. If left out, its `when` is `default`. */
            condition?: components["schemas"]["FunnelEdgeConditionInput"] | null;
            /**
             * Format: int32
             * @description An integer from -1,000,000 to 1,000,000. Of the edges that match, the one with the lowest priority is followed, and of equal ones the first in the list. Default: `0`.
             */
            priority?: number | null;
            /** @description The id of the step that the edge leaves. */
            source: components["schemas"]["Handle"];
            /** @description The id of the step that the edge enters. */
            target: components["schemas"]["Handle"];
        };
        /** @description An event that happened to the visitor of a session. */
        FunnelEventInput: {
            /** @description Data for expressions, at most 4,096 characters as JSON. `paymentId` is the payment that the event reports, prefix `pay_`. It must belong to the same store and can move one session, once. */
            data?: components["schemas"]["JSONObject"] | null;
            /** @description An identifier set by the caller. A repeated id in the same session moves nothing and returns the first result. */
            id?: components["schemas"]["Handle"] | null;
            /** @description The type of the event: `payment_succeeded` or `payment_declined`, which require `data.paymentId`; `offer_accepted` or `offer_declined`; or a name set by the caller. */
            type: components["schemas"]["Label"];
        };
        /** @description The figures of a funnel. They are updated in the transactions of the changes, so reading them does not depend on the number of sessions. */
        FunnelFigures: {
            /** @description The funnel, prefix `funnel_`. */
            funnelId: string;
            /** @description The number of sessions that started. */
            sessions: components["schemas"]["Count"];
            /** @description The number of sessions that reached a step with `isConversion`. */
            converted: components["schemas"]["Count"];
            /** @description The number of sessions in which nothing happened for 24 hours and that were not resumed. */
            abandoned: components["schemas"]["Count"];
            /** @description The revenue of the funnel by currency, including payments at steps that were removed. */
            revenue: components["schemas"]["FunnelRevenue"][];
            /** @description The figures of each step of the current version. */
            steps: components["schemas"]["FunnelStepFigures"][];
        };
        /** @description Filters for a list of funnels. A funnel must match all filters that are given. */
        FunnelFilters: {
            /** @description True for default funnels, false for the others. */
            isDefault?: boolean;
            /** @description Funnels whose name matches. */
            name?: components["schemas"]["TextFilter"];
            /** @description Funnels of one of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description The result of an event in a funnel session. */
        FunnelMove: {
            /** @description The session, prefix `fs_`. */
            sessionId: string;
            /** @description The id of the step before the event. */
            fromStepId: string;
            /** @description The id of the step after the event. Equal to `fromStepId` if no edge was taken. */
            currentStepId: string;
            /** @description The variant of the step that the visitor sees. Null if the step has no variants. */
            variantId: string | null;
            /** @description The URL of the page of the current step. It contains a secret that opens the session and must be given to this visitor only. Null if the `config` of the step names no plugin instance, or if the instance is not mounted. */
            url: string | null;
            /** @description Whether the step has no outgoing edges. */
            done: boolean;
        };
        /** @description A step of a funnel. */
        FunnelNode: {
            /** @description Identifier of the step, unique within the funnel. A step that keeps its id keeps its figures. */
            id: string;
            /** @description The name of the step. Null if it has none. */
            name: string | null;
            /** @description The purpose of the step. */
            type: components["schemas"]["FunnelStepType"];
            /** @description Whether sessions start at this step. A funnel has exactly one entry. */
            isEntry: boolean;
            /** @description Whether a session that reaches this step has converted. The event `funnel/converted` is sent once per session. */
            isConversion: boolean;
            /** @description The settings of the step as a JSON object of at most 16,384 characters, read by the page of the step. The platform uses these fields: `instanceId`, a plugin instance of the store, prefix `pin_`; `path`, the page of the instance, starting with `/`; `paymentFlowId`, the payment flow of the account for payments at the step, prefix `flow_`; `currency`, one of the charge currencies of the store; `items`, the 1 to 20 items that the step sells, each `{name, quantity, unitAmount}` or `{priceId, quantity}`. A `priceId`, prefix `price_`, names a one-time price of the store; its name and amount are copied when the funnel is saved. A page cannot change what the step charges. */
            config: components["schemas"]["JSONObject"];
            /** @description The variants of the step, at most 10. Their percentages sum to 100. Empty if the step has only one form. */
            variants: components["schemas"]["FunnelVariant"][];
        };
        /** @description A step of a funnel. */
        FunnelNodeInput: {
            /** @description The settings of the step as a JSON object of at most 16,384 characters, read by the page of the step. The platform uses these fields: `instanceId`, a plugin instance of the store, prefix `pin_`; `path`, the page of the instance, starting with `/`; `paymentFlowId`, the payment flow of the account for payments at the step, prefix `flow_`; `currency`, one of the charge currencies of the store; `items`, the 1 to 20 items that the step sells, each `{name, quantity, unitAmount}` or `{priceId, quantity}`. A `priceId`, prefix `price_`, names a one-time price of the store; its name and amount are copied when the funnel is saved. A page cannot change what the step charges. */
            config?: components["schemas"]["JSONObject"] | null;
            /** @description Identifier of the step, unique within the funnel. */
            id: components["schemas"]["Handle"];
            /** @description Whether a session that reaches this step has converted. Default: `false`. */
            isConversion?: boolean | null;
            /** @description Whether sessions start at this step. Exactly one step must be the entry. Default: `false`. */
            isEntry?: boolean | null;
            /** @description The name of the step. */
            name?: components["schemas"]["Label"] | null;
            /** @description The purpose of the step. */
            type: components["schemas"]["FunnelStepType"];
            /** @description The variants of the step, at most 10. Their percentages must sum to 100. */
            variants?: components["schemas"]["FunnelVariantInput"][] | null;
        };
        /** @description A page of funnels. */
        FunnelPage: {
            /** @description The funnels of this page. Empty after the last page. */
            items: components["schemas"]["Funnel"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The revenue in one currency. */
        FunnelRevenue: {
            /** @description ISO 4217 currency code. */
            currency: components["schemas"]["Currency"];
            /** @description The amount paid, in minor units. Refunds are not deducted. */
            amount: components["schemas"]["Revenue"];
            /** @description The amount refunded, in minor units. */
            refunded: components["schemas"]["Revenue"];
        };
        /** @description One visitor's way through a funnel. */
        FunnelSession: {
            /** @description Unique identifier of the session, prefix `fs_`. */
            id: string;
            /** @description The store, prefix `store_`. */
            storeId: string;
            /** @description The processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The funnel, prefix `funnel_`. */
            funnelId: string;
            /**
             * Format: int32
             * @description The version of the funnel with which the session started. It does not change.
             */
            funnelVersion: number;
            /** @description The customer, prefix `cus_`. Null until the customer is known, at the latest by the first payment. */
            customerId: string | null;
            /** @description The id of the current step. */
            currentStepId: string;
            /** @description The variant of the current step that the visitor sees. Null if the step has no variants. */
            variantId: string | null;
            /** @description The status of the session. */
            status: components["schemas"]["FunnelSessionStatus"];
            /** @description The URL of the page of the current step. It contains a secret that opens the session and must be given to this visitor only. Null if the `config` of the step names no plugin instance, or if the instance is not mounted. */
            url: string | null;
            /** @description Whether the current step has no outgoing edges. */
            done: boolean;
            /** @description Time at which the session first reached a step with `isConversion`. Null if it has not. */
            convertedAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which the session is abandoned and its page no longer opens: 24 hours after the last event. */
            expiresAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the session started. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last event of the session. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The status of a funnel session.
         * @enum {string}
         */
        FunnelSessionStatus: "abandoned" | "active" | "completed";
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        FunnelSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["FunnelSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        FunnelSortField: "createdAt" | "name";
        /** @description The event `funnel/stepEntered`. */
        FunnelStepEnteredEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "funnel/stepEntered";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SentFunnelSession"];
            };
        };
        /** @description The figures of a step over all versions of the funnel. */
        FunnelStepFigures: {
            /** @description The id of the step. */
            stepId: string;
            /** @description The name of the step. Null if it has none. */
            name: string | null;
            /** @description The purpose of the step. */
            type: components["schemas"]["FunnelStepType"];
            /** @description The number of sessions that entered it. */
            views: components["schemas"]["Count"];
            /** @description The number of sessions that left it by an event other than a declined payment or offer. */
            conversions: components["schemas"]["Count"];
            /** @description The number of sessions that were abandoned at it and not resumed. */
            abandoned: components["schemas"]["Count"];
            /** @description The revenue of the payments made at it, by currency. */
            revenue: components["schemas"]["FunnelRevenue"][];
            /** @description The figures of each variant. Empty if the step has no variants. */
            variants: components["schemas"]["FunnelVariantFigures"][];
        };
        /**
         * @description The purpose of a step.
         * @enum {string}
         */
        FunnelStepType: "checkout" | "downsell" | "landing" | "offer" | "thankyou" | "upsell";
        /** @description One of several forms of a step. The variant that a visitor sees is chosen by a hash of the customer, or of the session if the customer is not known, and does not change. */
        FunnelVariant: {
            /** @description Identifier of the variant, unique within the step. */
            id: string;
            /** @description The share of visitors in percent, 0 to 100. The percentages of a step sum to 100. */
            percentage: number;
            /** @description The settings of the variant as a JSON object. Its fields override those of the `config` of the step. */
            config: components["schemas"]["JSONObject"];
        };
        /** @description The figures of one variant of a step. */
        FunnelVariantFigures: {
            /** @description The id of the variant. */
            variantId: string;
            /** @description The number of sessions that entered it. */
            views: components["schemas"]["Count"];
            /** @description The number of sessions that left it by an event other than a declined payment or offer. */
            conversions: components["schemas"]["Count"];
            /** @description The number of sessions that were abandoned at it and not resumed. */
            abandoned: components["schemas"]["Count"];
            /** @description The revenue of the payments made at it, by currency. */
            revenue: components["schemas"]["FunnelRevenue"][];
        };
        /** @description One of several forms of a step. */
        FunnelVariantInput: {
            /** @description The settings of the variant as a JSON object. Its fields override those of the `config` of the step. */
            config?: components["schemas"]["JSONObject"] | null;
            /** @description Identifier of the variant, unique within the step. */
            id: components["schemas"]["Handle"];
            /** @description The share of visitors in percent, 0 to 100 with at most two decimals. The percentages of a step sum to 100. */
            percentage: number;
        };
        /** @description A name chosen by the client: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`. */
        Handle: string;
        /** @description The processor to connect, and the address to which the browser returns. */
        InitiateConnectInput: {
            /** @description Whether this is part of an onboarding. If true, `isFromOnboarding=true` is added to the return URL. Default: `false`. */
            isFromOnboarding?: boolean;
            /** @description Identifier of a processor of type `stripe`, prefix `proc_`. Other types are refused with 400. */
            processorId: string;
            /** @description Alternative name of `returnUrl`. If both are given, this one is used. */
            redirectUrl?: components["schemas"]["Url"] | null;
            /** @description The URL to which the browser is redirected at the end, with `status=success`, or `status=error` and a `reason`. Must use https in live mode. By default the browser stays on a page of the platform. */
            returnUrl?: components["schemas"]["Url"] | null;
        };
        /**
         * @description Who initiates a charge.
         * @enum {string}
         */
        InitiatedBy: "customer" | "merchant";
        /** @description A file of a plugin. */
        InlineAsset: {
            /** @description The bytes of the file in base64 of the standard alphabet, padded. */
            content: string;
            /** @description The content type that the file is served with. Defaults to that of the file extension. One of: `text/html`, `text/css`, `text/javascript`, `application/json`, `application/manifest+json`, `text/plain`, `image/svg+xml`, `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `image/avif`, `image/x-icon`, `font/woff2`, `font/woff`, `font/ttf`, `font/otf`, `video/mp4`, `video/webm`, `audio/mpeg`, `audio/ogg`, `audio/wav`, `text/vtt`, `text/csv`, `application/xml`, `application/wasm`, `application/pdf`. */
            contentType?: string | null;
            /** @description The relative path of the file, such as `index.html` or `img/logo.svg`: at most 200 characters of `A-Z`, `a-z`, `0-9`, `.`, `_`, `~`, `@`, `+` and `-` between slashes, without `.` or `..` as a part. A leading slash is removed. Each path must occur once. */
            path: string;
        };
        /**
         * @description The unit of a billing interval.
         * @enum {string}
         */
        Interval: "day" | "month" | "week" | "year";
        /**
         * @description An IPv4 or IPv6 address of at most 45 characters. It is returned in its shortest form.
         * @example 203.0.113.7
         */
        IpAddress: string;
        /** @description A webhook endpoint with its new signing secret. The secret is returned only once. */
        IssuedWebhookEndpoint: {
            /** @description Unique identifier of the endpoint, prefix `wh_`. */
            id: string;
            /** @description The secret with which the receiver verifies signatures, prefix `whsec_`. Null if this is the replay of an earlier request with the same Idempotency-Key; rotate the secret to get a new one. */
            secret: string | null;
            /** @description The URL that events are sent to. */
            url: components["schemas"]["Url"];
            /** @description The types of event that are sent to the endpoint. */
            eventTypes: components["schemas"]["EventType"][];
            /** @description The account whose events are sent, prefix `tpa_`. Null if events of all accounts of the partner in this mode are sent. */
            platformAccountId: string | null;
            /** @description The store whose events are sent, prefix `store_`. Null if events are not limited to one store. */
            storeId: string | null;
            /** @description A description of the endpoint, set by the caller. Null if there is none. */
            description: string | null;
            /** @description Whether the events of one object are sent one after the other. If true, an event is sent only after the previous one was delivered or is dead. */
            ordered: boolean;
            /** @description Whether events are sent. While it is false, new events are recorded as dead deliveries. */
            enabled: boolean;
            /** @description The reason the endpoint is disabled. Null if it is enabled. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description Time until which the previous secret signs as well. Null if the secret was never rotated. */
            rotationEndsAt: components["schemas"]["DateTime"] | null;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the endpoint was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the endpoint was last updated. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description A JSON object with any content. */
        JSONObject: {
            [key: string]: unknown;
        };
        /**
         * @description The objects to which a key gives access.
         * @enum {string}
         */
        KeyKind: "partner" | "sub";
        /**
         * @description The status of the partner of a key that is in use.
         * @enum {string}
         */
        KeyPartnerStatus: "active" | "suspended";
        /**
         * @description Whether an API key is in use.
         * @enum {string}
         */
        KeyStatus: "active" | "expired" | "revoked";
        /** @description The verification of a business: its status and its requirements. */
        Kyb: {
            /** @description Identifier of the processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The status of the KYB. It changes `not_started` → `in_progress` → `submitted` → `approved` or `rejected`; `rejected` can become `submitted` again. */
            kybStatus: components["schemas"]["KybStatus"];
            /** @description All requirements, in a fixed order. */
            requirements: components["schemas"]["KybRequirement"][];
        };
        /**
         * @description The subject of a KYB requirement.
         * @enum {string}
         */
        KybCategory: "banking" | "business" | "documents" | "representative";
        /**
         * @description The code of a KYB requirement. One of: `business.legal_name`, `business.registration_number`, `business.tax_id`, `business.address`, `business.website`, `business.mcc`, `representative.identity`, `representative.address`, `banking.account`, `documents.registration_extract`.
         * @enum {string}
         */
        KybCode: "business.legal_name" | "business.registration_number" | "business.tax_id" | "business.address" | "business.website" | "business.mcc" | "representative.identity" | "representative.address" | "banking.account" | "documents.registration_extract";
        /** @description The value of one requirement. */
        KybItemInput: {
            /** @description The code of the requirement. */
            code: components["schemas"]["KybCode"];
            /** @description The value to submit. Replaces a value that was submitted before. */
            value: components["schemas"]["KybValue"];
        };
        /** @description One item of information or one document that a business must submit. The submitted value is not shown. */
        KybRequirement: {
            /** @description The code of the requirement. */
            code: components["schemas"]["KybCode"];
            /** @description The subject of the requirement. */
            category: components["schemas"]["KybCategory"];
            /** @description What to submit, as an English sentence. */
            description: string;
            /** @description Whether the KYB can be submitted only with this item. Currently always true. */
            required: boolean;
            /** @description The state of the requirement. */
            status: components["schemas"]["KybRequirementStatus"];
            /** @description The reason for which a reviewer rejected the value. Null unless the status is `rejected`. */
            rejectionReason: string | null;
            /** @description Time of the latest submission. Null if nothing has been submitted. */
            submittedAt: components["schemas"]["DateTime"] | null;
            /** @description Time of the decision. Null before it, and again after another value is submitted. */
            reviewedAt: components["schemas"]["DateTime"] | null;
        };
        /**
         * @description The state of one KYB requirement.
         * @enum {string}
         */
        KybRequirementStatus: "approved" | "missing" | "rejected" | "submitted";
        /**
         * @description The state of the verification of a business (KYB).
         * @enum {string}
         */
        KybStatus: "approved" | "in_progress" | "not_started" | "rejected" | "submitted";
        /**
         * @description The value submitted for a KYB requirement: a string of 1 to 4000 characters that is not blank, or an object of 1 to 20 fields with names of at most 40 characters, each a string of at most 1000 characters, a number, true, false or null. Its content is checked by a reviewer only. It is stored encrypted and not returned to API keys. In test mode the string `reject` causes the requirement to be rejected.
         * @example Corner Shop Ltd
         */
        KybValue: string | {
            [key: string]: string | number | boolean | null;
        };
        /** @description A string of 1 to 100 characters that is not blank. */
        Label: string;
        ListAccountsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. Defaults to newest first. */
            sortBy?: components["schemas"]["AccountSort"];
            /** @description Conditions that limit the list. */
            filters?: components["schemas"]["AccountFilters"] | null;
        };
        ListApiKeysInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description Conditions that limit the list. */
            filters?: components["schemas"]["ApiKeyFilters"] | null;
        };
        ListBlockRulesInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. Defaults to newest first. */
            sortBy?: components["schemas"]["BlockRuleSort"];
            /** @description Conditions that limit the list. */
            filters?: components["schemas"]["BlockRuleFilters"] | null;
        };
        ListCustomersInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The `nextCursor` of the previous page. Refused with 400 together with a page number or `sortBy`. */
            cursor?: string | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["CustomerSort"];
            /** @description The filters to apply. All customers if left out. */
            filters?: components["schemas"]["CustomerFilters"] | null;
        };
        ListDisputesInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["DisputeSort"];
            /** @description The filters to apply. All disputes if left out. */
            filters?: components["schemas"]["DisputeFilters"] | null;
        };
        ListEventsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The `nextCursor` of the previous page. Refused with 400 together with a page number or `sortBy`. */
            cursor?: string | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["EventSort"];
            /** @description The filters to apply. All events if left out. */
            filters?: components["schemas"]["EventFilters"] | null;
        };
        ListFunnelsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. */
            sortBy?: components["schemas"]["FunnelSort"];
            /** @description The filters of the list. */
            filters?: components["schemas"]["FunnelFilters"] | null;
        };
        ListOrdersInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The `nextCursor` of the previous page. Refused with 400 together with a page number or `sortBy`. */
            cursor?: string | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["OrderSort"];
            /** @description The filters to apply. All orders if left out. */
            filters?: components["schemas"]["OrderFilters"] | null;
        };
        ListPaymentFlowsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. Defaults to newest first. */
            sortBy?: components["schemas"]["PaymentFlowSort"];
            /** @description Conditions that limit the list. */
            filters?: components["schemas"]["PaymentFlowFilters"] | null;
        };
        ListPaymentInstrumentsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["PaymentInstrumentSort"];
            /** @description The filters to apply. All payment instruments if left out. */
            filters?: components["schemas"]["PaymentInstrumentFilters"] | null;
        };
        ListPaymentsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The `nextCursor` of the previous page. Refused with 400 together with a page number or `sortBy`. */
            cursor?: string | null;
            /** @description The order of the list. Default: `createdAt`, descending. */
            sortBy?: components["schemas"]["PaymentSort"];
            /** @description The filters of the list. */
            filters?: components["schemas"]["PaymentFilters"] | null;
        };
        ListPluginConfigurationsInput: {
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
        };
        ListPluginDeploymentsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["PluginDeploymentSort"];
            /** @description The filters to apply. All plugin deployments if left out. */
            filters?: components["schemas"]["PluginDeploymentFilters"] | null;
        };
        ListPluginInstancesInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["PluginInstanceSort"];
            /** @description The filters to apply. All plugin instances if left out. */
            filters?: components["schemas"]["PluginInstanceFilters"] | null;
        };
        ListProcessorsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. Defaults to newest first. */
            sortBy?: components["schemas"]["ProcessorSort"];
            /** @description Conditions that limit the list. */
            filters?: components["schemas"]["ProcessorFilters"] | null;
        };
        ListProductsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["ProductSort"];
            /** @description The filters to apply. All products if left out. */
            filters?: components["schemas"]["ProductFilters"] | null;
        };
        ListStoresInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["StoreSort"];
            /** @description The filters to apply. All stores if left out. */
            filters?: components["schemas"]["StoreFilters"] | null;
        };
        ListSubscriptionsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["SubscriptionSort"];
            /** @description The filters to apply. All subscriptions if left out. */
            filters?: components["schemas"]["SubscriptionFilters"] | null;
        };
        ListTestClocksInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The sort order. Defaults to `createdAt`, descending. */
            sortBy?: components["schemas"]["TestClockSort"];
            /** @description The filters to apply. All test clocks if left out. */
            filters?: components["schemas"]["TestClockFilters"] | null;
        };
        ListWebhookDeliveriesInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. */
            sortBy?: components["schemas"]["WebhookDeliverySort"];
            /** @description The filters of the list. */
            filters?: components["schemas"]["WebhookDeliveryFilters"] | null;
        };
        ListWebhookEndpointsInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
            /** @description `page` and `pageSize` as an object. Refused with 400 together with either of them. */
            pagination?: components["schemas"]["PaginationInput"] | null;
            /** @description The order of the list. */
            sortBy?: components["schemas"]["WebhookEndpointSort"];
            /** @description The filters of the list. */
            filters?: components["schemas"]["WebhookEndpointFilters"] | null;
        };
        /** @description An API key. Its secret is returned once, when the key is created; only a hash of it is stored. */
        ListedApiKey: {
            /** @description Unique identifier of the key, prefix `ak_`. */
            id: string;
            /** @description The leading part of the key. It is not secret and can be stored, logged and displayed. */
            prefix: string;
            /** @description The label that was given to the key. */
            label: string;
            /** @description Time at which the key was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the latest call made with the key. Null before the first call. */
            lastUsedAt: components["schemas"]["DateTime"] | null;
            /** @description Whether the key is in use. */
            status: components["schemas"]["KeyStatus"];
            /** @description Time from which calls with the key are refused with 401. Null if the key does not expire. */
            expiresAt: components["schemas"]["DateTime"] | null;
            /** @description The CIDR ranges from which the key can be used; calls from other addresses are refused with 403 `ip_not_allowed`. Empty if the key can be used from any address. */
            allowedIps: string[];
        };
        /** @description Key-value data of the client: an object of at most 50 keys of at most 40 characters, whose values are strings of at most 500 characters, numbers, booleans or null. */
        Metadata: {
            [key: string]: unknown;
        };
        /**
         * @description The mode of an object or a key. Objects of one mode are not visible in the other.
         * @enum {string}
         */
        Mode: "live" | "test";
        /**
         * @description The first part of the path of a mount: 1 to 63 characters of `a-z`, `0-9` and `-`, not beginning with `-`.
         * @example checkout
         */
        MountAlias: string;
        /** @description The path to serve a plugin instance at: `/p/<storeId>/<alias><basePath>`. */
        MountPluginInstanceInput: {
            /** @description The alias of the mount. */
            alias: components["schemas"]["MountAlias"];
            /** @description The path below the alias at which the instance begins. If several mounts match an address, the one with the longest base path serves it. Default: `/`. */
            basePath?: components["schemas"]["BasePath"];
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description Whether to replace a mount of another instance. If false, it is 409 with the reason `base_path_conflict`. Default: `false`. */
            force?: boolean | null;
            /** @description The store of the instance, prefix `store_`. */
            storeId: string;
        };
        /** @description The mount that was created or removed. */
        MountedPlugin: {
            /** @description Always true. */
            ok: boolean;
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The store of the instance, prefix `store_`. */
            storeId: string;
            /** @description The alias of the mount, the part of the path after the store. */
            alias: string;
            /** @description The path below the alias at which the instance begins. */
            basePath: string;
            /** @description The address of the mount. */
            url: string;
        };
        /** @description A string of 1 to 200 characters that is not blank. */
        Name: string;
        NextFunnelStepInput: {
            /** @description The event to apply. */
            event: components["schemas"]["FunnelEventInput"];
            /** @description The id of the step at which the event happened. If it is not the current step, the session does not move. Defaults to the current step. */
            fromStepId?: components["schemas"]["Handle"] | null;
        };
        /** @description The test dispute to open. */
        OpenTestDisputeInput: {
            /** @description The amount to dispute in minor units of the currency. Default: the remaining amount of the payment. It may be more, since processors report such disputes: the excess is recorded as a loss. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description The payment to dispute, prefix `pay_`: a captured payment of a test processor. */
            paymentId: string;
            /** @description The reason of the dispute. Default: `fraudulent`. */
            reason?: components["schemas"]["DisputeReason"];
        };
        /** @description The items that a customer buys. One payment pays the whole order. */
        Order: {
            /** @description Unique identifier of the order, prefix `ord_`. */
            id: string;
            /** @description The store of the order, prefix `store_`. */
            storeId: string;
            /** @description The processing account that the order belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The customer who buys, prefix `cus_`. Null if the order has no customer. */
            customerId: string | null;
            /** @description The sum of all line items in minor units of the currency. */
            amount: components["schemas"]["Amount"];
            /** @description The currency of the order, an ISO 4217 code. */
            currency: components["schemas"]["Currency"];
            /** @description The line items of the order. */
            items: components["schemas"]["OrderItem"][];
            /** @description The status of the order. */
            status: components["schemas"]["OrderStatus"];
            /** @description The payment that paid the order or is in progress, prefix `pay_`. Null if there is none: a payment that fails releases the order. */
            paymentId: string | null;
            /** @description Key-value pairs stored with the order. */
            metadata: components["schemas"]["Metadata"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the order was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the order last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `order/canceled`. */
        OrderCanceledEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/canceled";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description The event `order/created`. */
        OrderCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description The event `order/failed`. */
        OrderFailedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/failed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description Filters for a list of orders. An order is returned only if it matches every filter given. */
        OrderFilters: {
            /** @description Compares the time at which the order was created. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Returns orders in any of these currencies. */
            currency?: components["schemas"]["Currency"][];
            /** @description Returns orders of this customer, prefix `cus_`. */
            customerId?: string;
            /** @description Returns orders of this processing account, prefix `tpa_`. */
            platformAccountId?: string;
            /** @description Returns orders with any of these statuses. */
            status?: components["schemas"]["OrderStatus"][];
            /** @description Returns orders of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A line item of an order. */
        OrderItem: {
            /** @description Unique identifier of the line item, prefix `li_`. */
            id: string;
            /** @description The name of the item. */
            name: components["schemas"]["Name"];
            /** @description The number of units. */
            quantity: components["schemas"]["Quantity"];
            /** @description The amount of one unit in minor units of the currency. */
            unitAmount: components["schemas"]["Amount"];
            /** @description The price at which the item is sold, prefix `price_`. Null if the item names none. */
            priceId: string | null;
        };
        /** @description A line item of the order to create. */
        OrderItemInput: {
            /** @description The name of the item. */
            name: components["schemas"]["Name"];
            /** @description The price at which the item is sold, prefix `price_`. Its store, currency and amount must be those of the order and the item, otherwise 400. 404 if the account has no such price. */
            priceId?: string | null;
            /** @description The number of units, 1 to 1,000,000. */
            quantity: components["schemas"]["Quantity"];
            /** @description The amount of one unit in minor units of the currency. */
            unitAmount: components["schemas"]["Amount"];
        };
        /** @description A page of orders. */
        OrderPage: {
            /** @description The orders of this page. Empty after the last page. */
            items: components["schemas"]["Order"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
            /** @description The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as the first one. Null on the last page, if `sortBy` is given, and for lists without cursors. */
            nextCursor: string | null;
        };
        /** @description The event `order/paid`. */
        OrderPaidEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/paid";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description The event `order/refundFailed`. */
        OrderRefundFailedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/refundFailed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description The event `order/refunded`. */
        OrderRefundedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order/refunded";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Order"];
            };
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        OrderSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["OrderSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        OrderSortField: "amount" | "createdAt";
        /**
         * @description The status of an order. It follows the payments of the order; `canceled` is final.
         * @enum {string}
         */
        OrderStatus: "canceled" | "failed" | "paid" | "partially_refunded" | "pending" | "refunded";
        /** @description The number of a page of a list, starting at 1. A whole number from 1 to 1000000. */
        PageNumber: number;
        /** @description The maximum number of items on a page. A whole number from 1 to 100. */
        PageSize: number;
        /** @description The page to return. The same two fields can be top-level arguments instead, but not both forms together. */
        PaginationInput: {
            /** @description The number of the page to return, starting at 1. Defaults to 1. */
            page?: components["schemas"]["PageNumber"];
            /** @description The maximum number of items on the page, 1 to 100. Defaults to 20. */
            pageSize?: components["schemas"]["PageSize"];
        };
        /** @description A regular expression in RE2 syntax (no look-around, no back-references), 1 to 200 characters, of a compiled size of at most 500 instructions: `[a-z]{40}` has about 40. It is searched for anywhere in a string, case-insensitively, in linear time. */
        Pattern: string;
        /** @description The pause of a subscription. */
        PauseSubscriptionInput: {
            /** @description Time at which the subscription is resumed automatically: in the future, at most 1096 days from now. If left out, the subscription is paused until it is resumed by a call. */
            resumeAt?: components["schemas"]["DateTime"] | null;
            /** @description The subscription, prefix `sub_`. */
            subscriptionId: string;
        };
        /** @description One amount taken from a card, with its state from the first attempt to the last refund. */
        Payment: {
            /** @description The identifier, prefix `pay_`. */
            id: string;
            /** @description The identifier of the store, prefix `store_`. */
            storeId: string;
            /** @description The identifier of the processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The identifier of the customer, prefix `cus_`. */
            customerId: string;
            /** @description The identifier of the charged payment instrument, prefix `pi_`. */
            paymentInstrumentId: string;
            /** @description The identifier of the order that is paid, prefix `ord_`. Null if the payment pays no order. */
            orderId: string | null;
            /** @description The identifier of the subscription, prefix `sub_`. Null if the payment belongs to none. */
            subscriptionId: string | null;
            /** @description The amount in minor units of the currency. */
            amount: components["schemas"]["Amount"];
            /** @description The ISO 4217 code of the currency. */
            currency: components["schemas"]["Currency"];
            /** @description The captured amount in minor units of the currency; 0 before a capture. */
            capturedAmount: components["schemas"]["AmountOrZero"];
            /** @description The refunded amount in minor units of the currency; 0 before a refund. Pending refunds do not count. */
            refundedAmount: components["schemas"]["AmountOrZero"];
            /** @description The status of the payment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The detail of the status. Null for `declined`, `refunded` and `partially_refunded`. */
            subStatus: components["schemas"]["PaymentSubStatus"] | null;
            /** @description The reason for which the payment did not succeed. Null if there is none. */
            failureCode: components["schemas"]["FailureCode"] | null;
            /** @description The reason for which the payment did not succeed, as one sentence. Null if there is none. */
            failureMessage: string | null;
            /** @description The required payer action during a 3D Secure challenge, otherwise null. */
            requireAction: components["schemas"]["RequiredActionKind"] | null;
            /** @description The action that the payer has to take. Null unless `requireAction` is set. */
            requireActionData: components["schemas"]["RequireActionData"] | null;
            /** @description The identifier of the processor of the deciding attempt, prefix `proc_`. Null if no processor was called. */
            processorId: string | null;
            /** @description Key-value pairs of the merchant. */
            metadata: components["schemas"]["Metadata"];
            /** @description Whether the payment was made in live mode. False in test mode. */
            livemode: boolean;
            /** @description The time at which the authorization was voided. Null unless it was. */
            voidedAt?: components["schemas"]["DateTime"];
            /** @description The time at which the payment was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description The time at which the payment last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `payment/actionRequired`. */
        PaymentActionRequiredEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/actionRequired";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/authorized`. */
        PaymentAuthorizedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/authorized";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/captured`. */
        PaymentCapturedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/captured";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/created`. */
        PaymentCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/failed`. */
        PaymentFailedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/failed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description Filters of the payments. A payment must match all that are given. */
        PaymentFilters: {
            /** @description Payments by amount in minor units. */
            amount?: components["schemas"]["AmountFilter"];
            /** @description Payments by the last four digits of the card. */
            cardLast4?: components["schemas"]["TextFilter"];
            /** @description Payments created in this period. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Payments in any of these currencies. */
            currency?: components["schemas"]["Currency"][];
            /** @description Payments by the email address of the customer at the time of the charge. */
            customerEmail?: components["schemas"]["TextFilter"];
            /** @description Payments of this customer. */
            customerId?: string;
            /** @description Payments that failed for any of these reasons. */
            failureCode?: components["schemas"]["FailureCode"][];
            /** @description Payments with the card of this `fingerprint`, whichever payment instrument it is. */
            fingerprint?: components["schemas"]["ShortText"];
            /** @description True for payments of which a charge, capture, void or refund is awaiting its outcome at the processor, false for the others. */
            isProcessing?: boolean;
            /** @description True for payments of customers on a test clock, false for the others. */
            onTestClock?: boolean;
            /** @description Payments of this order. */
            orderId?: string;
            /** @description Payments of this processing account. */
            platformAccountId?: string;
            /** @description Payments whose deciding attempt was made at any of these processors. */
            processorId?: string[];
            /** @description The payment with a transaction of this processor's reference. */
            processorReference?: components["schemas"]["ShortText"];
            /** @description Payments with any of these statuses. */
            status?: components["schemas"]["PaymentStatusFilter"][];
            /** @description Payments of any of these stores. */
            storeId?: string[];
            /** @description Payments of this subscription. */
            subscriptionId?: string;
        };
        /** @description The rules by which a charge is sent to processors. A charge's `processorId` takes precedence over its `paymentFlowId`, which takes precedence over the flow of its store. */
        PaymentFlow: {
            /** @description Unique identifier of the payment flow, prefix `flow_`. */
            id: string;
            /** @description Identifier of the processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The name of the payment flow. */
            name: components["schemas"]["Label"];
            /** @description Whether a charge can continue with fallbacks. */
            strategy: components["schemas"]["FlowStrategy"];
            /** @description The processors from which the first one of a charge is chosen, by weight. Processors that are disabled, not connected or do not support the currency are skipped. If none remains, a cascade starts with its first fallback; otherwise the charge is `failed` with `no_processor`. */
            processors: components["schemas"]["FlowProcessor"][];
            /** @description The fallback processors of a cascade, in order. A processor is tried at most once per charge. */
            fallbacks: components["schemas"]["FlowFallback"][];
            /** @description The number of processors that a cascade can try after the first one, 0 to 10. */
            maxRetries: components["schemas"]["RetryCount"];
            /** @description Whether customers keep their processor. It is the processor of this flow that last approved one of the customer's latest 20 charges; until there is one, the same weighted choice is made for every charge. */
            sticky: boolean;
            /** @description Whether cardholders are challenged (3D Secure), unless the charge specifies it. */
            threeDs: components["schemas"]["FlowThreeDs"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the payment flow was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last change of the payment flow. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Conditions on payment flows. */
        PaymentFlowFilters: {
            /** @description Flows with any of these strategies. */
            strategy?: components["schemas"]["FlowStrategy"][];
        };
        /** @description A page of payment flows. */
        PaymentFlowPage: {
            /** @description The payment flows of this page. Empty after the last page. */
            items: components["schemas"]["PaymentFlow"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        PaymentFlowSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["PaymentFlowSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        PaymentFlowSortField: "createdAt" | "name";
        /** @description A stored card of a customer, which can be charged. */
        PaymentInstrument: {
            /** @description Unique identifier of the payment instrument, prefix `pi_`. */
            id: string;
            /** @description The type of the payment instrument. */
            type: components["schemas"]["PaymentInstrumentType"];
            /** @description The customer that the payment instrument belongs to, prefix `cus_`. */
            customerId: string;
            /** @description The store at which the payment instrument was created, prefix `store_`. */
            storeId: string;
            /** @description The processing account that the payment instrument belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description Whether the payment instrument can be charged. False once it was deleted. */
            isActive: boolean;
            /** @description Whether this is the default payment instrument of the customer. A customer has at most one. */
            isDefault: boolean;
            /** @description The displayable data of the card. */
            card: components["schemas"]["Card"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the payment instrument was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the payment instrument last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The event `paymentInstrument/created`. */
        PaymentInstrumentCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "paymentInstrument/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["PaymentInstrument"];
            };
        };
        /** @description The event `paymentInstrument/deleted`. */
        PaymentInstrumentDeletedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "paymentInstrument/deleted";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["PaymentInstrument"];
            };
        };
        /** @description Filters for a list of payment instruments. A payment instrument is returned only if it matches every filter given. */
        PaymentInstrumentFilters: {
            /** @description Returns payment instruments of this customer, prefix `cus_`. */
            customerId?: string;
            /** @description Returns the payment instruments of the card with this fingerprint. */
            fingerprint?: components["schemas"]["ShortText"];
            /** @description True returns only payment instruments that can be charged, false only deleted ones. */
            isActive?: boolean;
            /** @description Returns payment instruments of this processing account, prefix `tpa_`. */
            platformAccountId?: string;
            /** @description Returns payment instruments of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of payment instruments. */
        PaymentInstrumentPage: {
            /** @description The payment instruments of this page. Empty after the last page. */
            items: components["schemas"]["PaymentInstrument"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        PaymentInstrumentSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["PaymentInstrumentSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        PaymentInstrumentSortField: "createdAt";
        /**
         * @description The type of a payment instrument.
         * @enum {string}
         */
        PaymentInstrumentType: "card";
        /**
         * @description Whether a charge is captured immediately.
         * @enum {string}
         */
        PaymentMode: "auth" | "purchase";
        /** @description A page of payments. */
        PaymentPage: {
            /** @description The payments of this page. Empty after the last page. */
            items: components["schemas"]["Payment"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
            /** @description The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as the first one. Null on the last page, if `sortBy` is given, and for lists without cursors. */
            nextCursor: string | null;
        };
        /** @description The event `payment/refundFailed`. */
        PaymentRefundFailedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/refundFailed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/refunded`. */
        PaymentRefundedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/refunded";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/rejected`. */
        PaymentRejectedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/rejected";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description A payment with its transactions. */
        PaymentResult: {
            /** @description The payment. */
            payment: components["schemas"]["Payment"];
            /** @description The transactions of the payment, the oldest first. */
            transactions: components["schemas"]["Transaction"][];
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        PaymentSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["PaymentSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        PaymentSortField: "amount" | "createdAt" | "status";
        /**
         * @description The status of a payment.
         * @enum {string}
         */
        PaymentStatus: "declined" | "failed" | "partially_refunded" | "pending" | "refunded" | "succeeded";
        /**
         * @description The status of a payment, as a filter.
         * @enum {string}
         */
        PaymentStatusFilter: "declined" | "failed" | "partially_refunded" | "pending" | "refunded" | "succeeded";
        /**
         * @description The detail of a payment status. Null for `declined`, `refunded` and `partially_refunded`.
         * @enum {string}
         */
        PaymentSubStatus: "authentication_expired" | "authorized" | "captured" | "expired" | "processing" | "processing_error" | "requires_action" | "voided";
        /** @description The event `payment/succeeded`. */
        PaymentSucceededEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/succeeded";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description The event `payment/voided`. */
        PaymentVoidedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment/voided";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["Payment"];
            };
        };
        /** @description A change of a subscription to a price with another billing interval that is not in force. */
        PendingUpdate: {
            /** @description The price to come, prefix `price_`. */
            priceId: string;
            /** @description The number of units per period to come. */
            quantity: components["schemas"]["Quantity"];
            /** @description The payment that the change is awaiting, prefix `pay_`. When it succeeds, the new period starts; when it fails, the change is removed. Null if the change happens at the end of the paid period. */
            paymentId: string | null;
            /** @description Time at which the challenge of the payment expires: 23 hours after the call, or the end of the period if that comes first, but not before 30 minutes have passed. Null if the change happens at the end of the paid period. */
            expiresAt: components["schemas"]["DateTime"] | null;
        };
        /**
         * @description The rate limit of an account.
         * @enum {string}
         */
        Plan: "premium" | "standard";
        /** @description A file of a plugin deployment. */
        PluginAsset: {
            /** @description The path of the file below the mount, without a leading slash. */
            path: string;
            /** @description The content type that the file is served with. */
            contentType: string;
            /**
             * Format: int32
             * @description The size of the file in bytes.
             */
            size: number;
            /** @description The SHA-256 hash of the file, 64 hexadecimal digits. An address with the query parameter `v` set to at least the first 16 of them can be cached permanently. */
            sha256: string;
        };
        /** @description A violation of a schema by a configuration. */
        PluginConfigIssue: {
            /** @description The path of the invalid value, such as `config.color`. */
            path: string;
            /** @description What is wrong with the value, such as `is required`. */
            message: string;
        };
        /** @description The event `plugin/configUpdated`. */
        PluginConfigUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "plugin/configUpdated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["PluginDeploymentSummary"] | components["schemas"]["PluginInstanceWithIssues"];
            };
        };
        /** @description A configuration that is or was the live one of a plugin instance. The newest 200 of it are kept. */
        PluginConfiguration: {
            /** @description Unique identifier of the configuration, prefix `pcfg_`. */
            id: string;
            /**
             * Format: int32
             * @description The number of the configuration among those of the instance, counted from 1.
             */
            version: number;
            /** @description The whole configuration. */
            config: components["schemas"]["JSONObject"];
            /** @description Why the configuration became the live one. */
            reason: components["schemas"]["PluginConfigurationReason"];
            /**
             * Format: int32
             * @description The number of the earlier configuration that this one copies. Null unless it was rolled back to.
             */
            rolledBackTo: number | null;
            /** @description The kind of the actor that set the configuration. */
            actorKind: components["schemas"]["PluginConfigurationActor"];
            /** @description The identifier of the actor that set the configuration, prefix `ak_` for an API key. */
            actorId: string;
            /** @description Time at which the configuration became the live one. */
            createdAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The kind of an actor that sets a configuration.
         * @enum {string}
         */
        PluginConfigurationActor: "partnerKey" | "subKey" | "system";
        /** @description A page of configurations. */
        PluginConfigurationPage: {
            /** @description The configurations of this page. Empty after the last page. */
            items: components["schemas"]["PluginConfiguration"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /**
         * @description Why a configuration became the live one.
         * @enum {string}
         */
        PluginConfigurationReason: "created" | "rolledBack" | "updated";
        /** @description The event `plugin/deployed`. */
        PluginDeployedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "plugin/deployed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["PluginDeploymentSummary"];
            };
        };
        /** @description A version of a plugin that is deployed in an account: its files and the schema of its configurations. */
        PluginDeployment: {
            /** @description Unique identifier of the deployment, prefix `dep_`. */
            id: string;
            /** @description Unique identifier of the deployment, prefix `dep_`. */
            deploymentId: string;
            /** @description The processing account that the deployment belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The store that the version was deployed through, prefix `store_`. Any store of the account can have instances of it. */
            storeId: string;
            /** @description Your identifier of the plugin, the same in all its versions. */
            pluginId: string;
            /** @description The semantic version of the plugin. */
            version: string;
            /** @description The display name of the plugin. */
            name: string;
            /** @description The address at which the deployment can be previewed before it is mounted. The preview uses the preset `default`, or else the first preset. */
            url: string;
            /** @description The names of the presets. */
            presetNames: string[];
            /**
             * Format: int32
             * @description The number of files of the deployment.
             */
            assetCount: number;
            /**
             * Format: int32
             * @description The total size of the files in bytes. Equal files of an account are stored once.
             */
            assetBytes: number;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the version was first deployed. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the version was last deployed or its presets or schemas last changed. */
            updatedAt: components["schemas"]["DateTime"];
            /** @description The manifest as it was sent, without `configuration`. */
            manifest: components["schemas"]["JSONObject"];
            /** @description Configurations by name, from which instances can be created. */
            presets: components["schemas"]["JSONObject"];
            /** @description The JSON Schema that every configuration must satisfy. Null if any configuration is valid. */
            schema: components["schemas"]["JSONObject"] | null;
            /** @description How a form shows the configuration, in a form of your own. Null if not set. */
            uiSchema: components["schemas"]["JSONObject"] | null;
            /** @description The files of the deployment, in the order of their paths. */
            assets: components["schemas"]["PluginAsset"][];
        };
        /** @description Filters for a list of plugin deployments. A deployment is returned only if it matches every filter given. */
        PluginDeploymentFilters: {
            /** @description Compares the time at which the version was first deployed. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Compares the display name of the plugin. */
            name?: components["schemas"]["TextFilter"];
            /** @description Returns deployments of any of these plugins. */
            pluginId?: string[];
            /** @description Returns deployments that were deployed through any of these stores, prefix `store_`. */
            storeId?: string[];
            /** @description Returns deployments of any of these versions. */
            version?: string[];
        };
        /** @description A page of plugin deployments. */
        PluginDeploymentPage: {
            /** @description The plugin deployments of this page. Empty after the last page. */
            items: components["schemas"]["PluginDeploymentSummary"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        PluginDeploymentSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["PluginDeploymentSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        PluginDeploymentSortField: "createdAt" | "name";
        /** @description A version of a plugin that is deployed in an account: its files and the schema of its configurations. */
        PluginDeploymentSummary: {
            /** @description Unique identifier of the deployment, prefix `dep_`. */
            id: string;
            /** @description Unique identifier of the deployment, prefix `dep_`. */
            deploymentId: string;
            /** @description The processing account that the deployment belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The store that the version was deployed through, prefix `store_`. Any store of the account can have instances of it. */
            storeId: string;
            /** @description Your identifier of the plugin, the same in all its versions. */
            pluginId: string;
            /** @description The semantic version of the plugin. */
            version: string;
            /** @description The display name of the plugin. */
            name: string;
            /** @description The address at which the deployment can be previewed before it is mounted. The preview uses the preset `default`, or else the first preset. */
            url: string;
            /** @description The names of the presets. */
            presetNames: string[];
            /**
             * Format: int32
             * @description The number of files of the deployment.
             */
            assetCount: number;
            /**
             * Format: int32
             * @description The total size of the files in bytes. Equal files of an account are stored once.
             */
            assetBytes: number;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the version was first deployed. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the version was last deployed or its presets or schemas last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The configured use of a plugin deployment in a store. It is served at its mounts. */
        PluginInstance: {
            /** @description Unique identifier of the instance, prefix `pin_`. */
            id: string;
            /** @description Unique identifier of the instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The deployment that the instance serves, prefix `dep_`. */
            deploymentId: string;
            /** @description Your identifier of the plugin. */
            pluginId: string;
            /** @description The semantic version of the deployment. */
            version: string;
            /** @description The processing account that the instance belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The store that the instance belongs to, prefix `store_`. */
            storeId: string;
            /** @description The display name of the instance. */
            name: components["schemas"]["Name"];
            /** @description The live configuration. Pages show it to every visitor, so it must contain no secret. */
            config: components["schemas"]["JSONObject"];
            /**
             * Format: int32
             * @description The number of the live configuration, counted from 1.
             */
            configVersion: number;
            /** @description The mounts of the instance, in the order of alias and base path. Empty if it is not mounted. */
            mounts: components["schemas"]["PluginMount"][];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the instance was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the live configuration last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of plugin instances. An instance is returned only if it matches every filter given. */
        PluginInstanceFilters: {
            /** @description Compares the time at which the instance was created. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Returns instances of this deployment, prefix `dep_`. */
            deploymentId?: string;
            /** @description Compares the display name of the instance. */
            name?: components["schemas"]["TextFilter"];
            /** @description Returns instances of any of these plugins. */
            pluginId?: string[];
            /** @description Returns instances in any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of plugin instances. */
        PluginInstancePage: {
            /** @description The plugin instances of this page. Empty after the last page. */
            items: components["schemas"]["PluginInstance"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        PluginInstanceSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["PluginInstanceSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        PluginInstanceSortField: "createdAt" | "name";
        /** @description The configured use of a plugin deployment in a store. It is served at its mounts. */
        PluginInstanceWithIssues: {
            /** @description Unique identifier of the instance, prefix `pin_`. */
            id: string;
            /** @description Unique identifier of the instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The deployment that the instance serves, prefix `dep_`. */
            deploymentId: string;
            /** @description Your identifier of the plugin. */
            pluginId: string;
            /** @description The semantic version of the deployment. */
            version: string;
            /** @description The processing account that the instance belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The store that the instance belongs to, prefix `store_`. */
            storeId: string;
            /** @description The display name of the instance. */
            name: components["schemas"]["Name"];
            /** @description The live configuration. Pages show it to every visitor, so it must contain no secret. */
            config: components["schemas"]["JSONObject"];
            /**
             * Format: int32
             * @description The number of the live configuration, counted from 1.
             */
            configVersion: number;
            /** @description The mounts of the instance, in the order of alias and base path. Empty if it is not mounted. */
            mounts: components["schemas"]["PluginMount"][];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the instance was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the live configuration last changed. */
            updatedAt: components["schemas"]["DateTime"];
            /** @description Where the live configuration violates the current schema of the deployment. It stays live. Empty if it satisfies the schema. */
            configIssues: components["schemas"]["PluginConfigIssue"][];
        };
        /**
         * @description The manifest of a plugin, an object with `pluginId`, `name`, `version`, `pages` and optionally `configuration`. At most 64 KiB of JSON without `configuration`. Further fields are stored unchanged.
         * @example {
         *       "pluginId": "checkout-basic",
         *       "name": "Basic checkout",
         *       "version": "1.0.0",
         *       "pages": [
         *         {
         *           "path": "/checkout",
         *           "name": "Checkout",
         *           "isDefault": true
         *         }
         *       ],
         *       "configuration": {
         *         "schema": {
         *           "type": "object",
         *           "properties": {
         *             "color": {
         *               "type": "string"
         *             }
         *           }
         *         }
         *       }
         *     }
         */
        PluginManifest: {
            /** @description Your identifier of the plugin, the same in all its versions: 1 to 100 characters of A-Z, a-z, 0-9, ".", "_", "-", "@" and "/". The first one is a letter, a digit or "@". */
            pluginId: string;
            /** @description The display name of the plugin. */
            name: string;
            /** @description The semantic version, such as 1.4.0. */
            version: string;
            /** @description The purpose of the plugin. */
            description?: string | null;
            /** @description The author of the plugin. Stored and not interpreted. */
            author?: string | {
                [key: string]: unknown;
            } | null;
            /** @description The category of the plugin, such as checkout. Stored and not interpreted. */
            category?: string | null;
            /** @description The intended use of the plugin, in your own words. Stored and not interpreted. */
            mode?: string | null;
            /** @description The pages that the plugin serves, each with a different path. The root of a mount serves the page with the path "/", or else the one marked isDefault, or else the first one. */
            pages: {
                /** @description The path of the page below the mount, such as /checkout. It is served from the first of the assets <path>.html, <path>/index.html and index.html that exists. */
                path: string;
                /** @description The display name of the page. */
                name?: string | null;
                /** @description The features of the page, in a form of your own. Stored and not interpreted. */
                features?: unknown[] | Record<string, never> | null;
                /** @description Whether the page is also served at the root of a mount. At most one page can be marked. */
                isDefault?: boolean | null;
            }[];
            /** @description The schemas of the configuration of instances. */
            configuration?: {
                /** @description The JSON Schema that every configuration must satisfy: 2020-12, or draft-07 if its $schema names it. Null if any configuration is valid. */
                schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description How a form shows the configuration. Stored and not interpreted. */
                uiSchema?: {
                    [key: string]: unknown;
                } | null;
            } | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A path at which a plugin instance is served. */
        PluginMount: {
            /** @description The alias of the mount, the part of the path after the store. */
            alias: string;
            /** @description The path below the alias at which the instance begins. */
            basePath: string;
            /** @description The address of the mount. */
            url: string;
            /** @description Time at which the instance was mounted there. */
            createdAt: components["schemas"]["DateTime"];
        };
        /** @description The price of one unit of a product, charged once or once per period. A price never changes: for another amount, create a product with another price. */
        Price: {
            /** @description Unique identifier of the price, prefix `price_`. */
            id: string;
            /** @description The product that the price belongs to, prefix `prod_`. */
            productId: string;
            /** @description The currency of the price, an ISO 4217 code. */
            currency: components["schemas"]["Currency"];
            /** @description The amount of one unit in minor units of the currency, for a recurring price the amount per period. */
            amount: components["schemas"]["Amount"];
            /** @description Whether the price is charged again for each period. Only a recurring price can be used in a subscription. */
            recurring: boolean;
            /** @description The unit of the billing interval. Null if the price is not recurring. */
            interval: components["schemas"]["Interval"] | null;
            /**
             * Format: int32
             * @description The number of units in the billing interval. Null if the price is not recurring.
             */
            intervalCount: number | null;
            /**
             * Format: int32
             * @description The number of free days with which a new subscription to the price starts. Null for none.
             */
            trialDays: number | null;
            /** @description Time at which the price was created. */
            createdAt: components["schemas"]["DateTime"];
        };
        /** @description A price of the product to create. */
        PriceInput: {
            /** @description The amount of one unit in minor units of the currency, for a recurring price the amount per period. */
            amount: components["schemas"]["Amount"];
            /** @description The currency of the price, an ISO 4217 code. */
            currency: components["schemas"]["Currency"];
            /** @description The unit of the billing interval. Required for a recurring price, 400 for any other price. */
            interval?: components["schemas"]["Interval"] | null;
            /**
             * Format: int32
             * @description The number of units in the billing interval, at least 1. Defaults to 1. A period lasts at most three years: 1095 days, 156 weeks, 36 months or 3 years. Only for a recurring price.
             */
            intervalCount?: number | null;
            /** @description Whether the price is charged again for each period. Defaults to true if `interval` is given. */
            recurring?: boolean | null;
            /**
             * Format: int32
             * @description The number of free days with which a new subscription to the price starts, 0 to 730. Defaults to 0. Only for a recurring price.
             */
            trialDays?: number | null;
        };
        /** @description A charge. */
        ProcessPaymentInput: {
            /** @description The amount in minor units of the currency, from 1 to 99,999,999,999. */
            amount: components["schemas"]["Amount"];
            /** @description The billing address. */
            billingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The ISO 4217 code of the currency. It must be one of the charge currencies of the store (else 400). */
            currency: components["schemas"]["Currency"];
            /** @description The identifier of the customer, prefix `cus_`. It must be the customer of the payment instrument (else 400). Default: that customer. */
            customerId?: string | null;
            /** @description Who initiates the charge. Default: `customer`. */
            initiatedBy?: components["schemas"]["InitiatedBy"];
            /** @description Key-value pairs to store with the payment. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description Whether the amount is captured immediately or authorized only. Default: `purchase`. */
            mode?: components["schemas"]["PaymentMode"];
            /** @description The identifier of the order that is paid, prefix `ord_`. Amount and currency must be those of the order (else 400). 409 `invalid_state` if the order is paid or canceled, or another payment of it is in progress. */
            orderId?: string | null;
            /** @description The IP address of the cardholder's device, IPv4 or IPv6. Block rules with `ipAddress` compare it; without it they do not match. It is used for the rules of this charge only: it is not stored and not returned. */
            payerIp?: components["schemas"]["IpAddress"] | null;
            /** @description The identifier of the payment flow that routes the charge, prefix `flow_`. Default: the flow of the store. Ignored if `processorId` is given. */
            paymentFlowId?: string | null;
            /** @description The identifier of the payment instrument to charge, prefix `pi_`. 409 `invalid_state` if it is inactive. */
            paymentInstrumentId: string;
            /** @description The identifier of the only processor to call, prefix `proc_`, regardless of any flow. Default: the route of the flow, or without a flow the oldest usable processor of the account. */
            processorId?: string | null;
            /** @description The reason for the charge. Accepted only with `initiatedBy: merchant` (else 400). */
            reasonType?: components["schemas"]["ReasonType"] | null;
            /** @description The address to which the payer is redirected after a challenge. It must be https in live mode. */
            returnUrl?: components["schemas"]["Url"] | null;
            /** @description The shipping address. */
            shippingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The identifier of the store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. 403 `forbidden_scope` if the store is not visible to the API key. */
            storeId?: string | null;
            /** @description The identifier of the subscription that the charge belongs to, prefix `sub_`. It must be a subscription of the customer in this store (else 400). The charge is made in addition to the charges of its periods. */
            subscriptionId?: string | null;
            /** @description Whether the cardholder is challenged with 3D Secure. Default: the setting of the payment flow, or `automatic` without one. `force` of a flow does not apply to a charge initiated by the merchant. */
            threeDs?: components["schemas"]["ThreeDs"] | null;
        };
        /** @description A connection of an account to a card processor. Unless a charge or a payment flow names one, a charge goes to the oldest processor that is enabled, is connected and supports the currency. */
        Processor: {
            /** @description Unique identifier of the processor, prefix `proc_`. */
            id: string;
            /** @description Identifier of the processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The name of the processor. */
            name: components["schemas"]["Label"];
            /** @description The service that processes cards. */
            type: components["schemas"]["ProcessorType"];
            /** @description Whether new charges can be sent to the processor. */
            enabled: boolean;
            /** @description Whether the processor has the credential that calls need: an API key, or the access token obtained by connecting. Always true for `test`. Charges are sent to connected processors only. */
            connected: boolean;
            /** @description The currencies that the processor supports. Empty if it supports every currency. */
            supportedCurrencies: components["schemas"]["Currency"][];
            /** @description The options of the processor, without the secret ones. */
            options: components["schemas"]["JSONObject"];
            /** @description The names of the secret options that are set, sorted. Their values are not returned. */
            secretOptions: string[];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the processor was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last change of the processor. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Conditions on processors. A processor is listed if it meets all of them. */
        ProcessorFilters: {
            /** @description Processors that are enabled (true) or disabled (false). */
            enabled?: boolean;
            /** @description Processors of any of these types. */
            type?: components["schemas"]["ProcessorType"][];
        };
        /** @description A page of processors. */
        ProcessorPage: {
            /** @description The processors of this page. Empty after the last page. */
            items: components["schemas"]["Processor"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        ProcessorSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["ProcessorSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        ProcessorSortField: "createdAt" | "name";
        /**
         * @description The service that processes cards.
         * @enum {string}
         */
        ProcessorType: "stripe" | "test";
        /** @description Goods or a service that a store sells, with its prices. */
        Product: {
            /** @description Unique identifier of the product, prefix `prod_`. */
            id: string;
            /** @description The store that sells the product, prefix `store_`. */
            storeId: string;
            /** @description The processing account that the product belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The name of the product. */
            name: components["schemas"]["Name"];
            /** @description A description of the product. Null if not set. */
            description: string | null;
            /** @description The prices of the product, in the order in which they were given. */
            prices: components["schemas"]["Price"][];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the product was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the product last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of products. A product is returned only if it matches every filter given. */
        ProductFilters: {
            /** @description Compares the name of the product. */
            name?: components["schemas"]["TextFilter"];
            /** @description Returns products of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of products. */
        ProductPage: {
            /** @description The products of this page. Empty after the last page. */
            items: components["schemas"]["Product"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        ProductSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["ProductSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        ProductSortField: "createdAt" | "name";
        /** @description A number of units. A whole number from 1 to 1000000. */
        Quantity: number;
        /**
         * @description The reason for which a merchant initiates a charge.
         * @enum {string}
         */
        ReasonType: "installment" | "recurring" | "unscheduled";
        RebillSubscriptionInput: {
            /** @description The subscription, prefix `sub_`. */
            subscriptionId: string;
        };
        RedeliverWebhooksSinceInput: {
            /** @description The time from which events are sent again. */
            since: components["schemas"]["DateTime"];
        };
        /** @description A captured amount that is returned, in whole or in part. */
        Refund: {
            /** @description The identifier, prefix `ref_`. */
            id: string;
            /** @description The identifier of the payment, prefix `pay_`. */
            paymentId: string;
            /** @description The amount in minor units of the currency. */
            amount: components["schemas"]["Amount"];
            /** @description The ISO 4217 code of the currency. */
            currency: components["schemas"]["Currency"];
            /** @description The status of the refund. */
            status: components["schemas"]["RefundStatus"];
            /** @description The reason given with the request. Null if none was given. */
            reason: string | null;
            /** @description Key-value pairs of the merchant. */
            metadata: components["schemas"]["Metadata"];
            /** @description The time at which the refund was created. */
            createdAt: components["schemas"]["DateTime"];
        };
        /** @description The error for which one of several payments was not refunded. */
        RefundError: {
            /** @description The error code that the refund of this payment alone would have returned. */
            code: components["schemas"]["ErrorCode"];
            /** @description The error as one sentence. */
            message: string;
        };
        /** @description The outcome of one of several refunds. */
        RefundOutcome: {
            /** @description The identifier of the payment, as in the request. */
            paymentId: string;
            /** @description The refund. Null if `error` is set. */
            refund?: components["schemas"]["Refund"];
            /** @description The error for which the payment was not refunded. Null if `refund` is set. */
            error?: components["schemas"]["RefundError"];
        };
        /** @description A refund of one payment (`paymentId`) or of several (`paymentIds`). Exactly one of the two is required. */
        RefundPaymentInput: {
            /** @description The amount in minor units, at most the refundable balance (else 400). Default: the refundable balance. With `paymentIds` it applies to each payment. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description Whether to add a permanent block rule against the customer, by identifier and email address. Default: `false`. */
            blacklistCustomer?: boolean | null;
            /** @description Whether to cancel the subscription of the payment immediately, regardless of the outcome of the refund. It has no effect on a payment without a subscription. Default: `false`. */
            cancelSubscription?: boolean | null;
            /** @description Key-value pairs to store with the refund. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The identifier of the payment, prefix `pay_`. */
            paymentId: string;
            /** @description The reason for the refund, as free text. */
            reason?: components["schemas"]["ShortText"] | null;
        } | {
            /** @description The amount in minor units, at most the refundable balance (else 400). Default: the refundable balance. With `paymentIds` it applies to each payment. */
            amount?: components["schemas"]["Amount"] | null;
            /** @description Whether to add a permanent block rule against the customer, by identifier and email address. Default: `false`. */
            blacklistCustomer?: boolean | null;
            /** @description Whether to cancel the subscription of the payment immediately, regardless of the outcome of the refund. It has no effect on a payment without a subscription. Default: `false`. */
            cancelSubscription?: boolean | null;
            /** @description Key-value pairs to store with the refund. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The identifiers of 1 to 100 payments. Each payment is refunded by itself, and the answer contains the outcome of each. */
            paymentIds: string[];
            /** @description The reason for the refund, as free text. */
            reason?: components["schemas"]["ShortText"] | null;
        };
        /** @description The refund with its payment for `paymentId`; the outcomes of all refunds for `paymentIds`. */
        RefundResult: components["schemas"]["RefundedPayment"] | components["schemas"]["Refunds"];
        /**
         * @description The status of a refund.
         * @enum {string}
         */
        RefundStatus: "failed" | "pending" | "succeeded";
        /** @description The answer of the refund of one payment. */
        RefundedPayment: {
            /** @description The refund. */
            refund: components["schemas"]["Refund"];
            /** @description The payment. */
            payment: components["schemas"]["Payment"];
            /** @description The transactions of the payment, the oldest first. */
            transactions: components["schemas"]["Transaction"][];
        };
        /** @description The answer of the refund of several payments. */
        Refunds: {
            /** @description The outcome of each payment of `paymentIds`. */
            results: components["schemas"]["RefundOutcome"][];
        };
        /** @description The action that the payer has to take before the payment can continue. */
        RequireActionData: {
            /** @description How the payer completes the action. */
            type: components["schemas"]["RequiredActionType"];
            /** @description The address of the page on which the payer answers the challenge. */
            url: string;
            /** @description The identifier of the challenge, prefix `threeds_`. */
            threedsSessionId: string;
            /** @description The time at which the challenge expires. A payment whose challenge is not answered by then fails with the substatus `authentication_expired`. */
            expiresAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The required payer action before a payment can continue.
         * @enum {string}
         */
        RequiredActionKind: "threeds_auth";
        /**
         * @description How the payer completes the required action.
         * @enum {string}
         */
        RequiredActionType: "redirect";
        ResumeSubscriptionInput: {
            /** @description The subscription, prefix `sub_`. */
            subscriptionId: string;
        };
        /** @description The number of processors tried after the first one. A whole number from 0 to 10. */
        RetryCount: number;
        /** @description A sum of amounts of many objects, in minor units: a whole number from 0 to 9007199254740991, and beyond it, where JSON readers would round, a decimal text such as `"9007199254740993"`. */
        Revenue: number | string;
        /** @description The earlier configuration to make the live one. */
        RollBackPluginConfigInput: {
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The store of the instance, prefix `store_`. */
            storeId: string;
            /** @description The number of the configuration. 404 if it is not among the newest 200 of the instance. */
            version: components["schemas"]["ConfigVersion"];
        };
        /** @description The live configuration of a plugin instance after a change. */
        RolledBackPluginConfig: {
            /** @description Always true. */
            ok: boolean;
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The whole configuration. */
            config: components["schemas"]["JSONObject"];
            /**
             * Format: int32
             * @description The number of the live configuration, counted from 1.
             */
            configVersion: number;
            /** @description Time at which the live configuration last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description The share of a processor in a payment flow, relative to the sum of the weights. A whole number from 1 to 10000. */
        RouteWeight: number;
        /**
         * @description How the criteria of a block rule are combined.
         * @enum {string}
         */
        RuleOperator: "AND" | "OR";
        /**
         * @description The type of an event, such as `payment/succeeded`. `webhook/test` is sent and not listed. One of: `account/created`, `account/updated`, `account/kybUpdated`, `customer/created`, `customer/updated`, `paymentInstrument/created`, `paymentInstrument/deleted`, `payment/created`, `payment/actionRequired`, `payment/authorized`, `payment/succeeded`, `payment/rejected`, `payment/failed`, `payment/captured`, `payment/voided`, `payment/refunded`, `payment/refundFailed`, `dispute/created`, `dispute/updated`, `order/created`, `order/paid`, `order/failed`, `order/refunded`, `order/refundFailed`, `order/canceled`, `subscription/created`, `subscription/activated`, `subscription/updated`, `subscription/paused`, `subscription/resumed`, `subscription/canceled`, `subscription/cancelScheduled`, `subscription/pastDue`, `subscription/actionRequired`, `subscription/rebillUpcoming`, `subscription/rebillSucceeded`, `subscription/rebillDeclined`, `funnel/stepEntered`, `funnel/converted`, `plugin/deployed`, `plugin/configUpdated`, `webhook/test`.
         * @enum {string}
         */
        SentEventType: "account/created" | "account/updated" | "account/kybUpdated" | "customer/created" | "customer/updated" | "paymentInstrument/created" | "paymentInstrument/deleted" | "payment/created" | "payment/actionRequired" | "payment/authorized" | "payment/succeeded" | "payment/rejected" | "payment/failed" | "payment/captured" | "payment/voided" | "payment/refunded" | "payment/refundFailed" | "dispute/created" | "dispute/updated" | "order/created" | "order/paid" | "order/failed" | "order/refunded" | "order/refundFailed" | "order/canceled" | "subscription/created" | "subscription/activated" | "subscription/updated" | "subscription/paused" | "subscription/resumed" | "subscription/canceled" | "subscription/cancelScheduled" | "subscription/pastDue" | "subscription/actionRequired" | "subscription/rebillUpcoming" | "subscription/rebillSucceeded" | "subscription/rebillDeclined" | "funnel/stepEntered" | "funnel/converted" | "plugin/deployed" | "plugin/configUpdated" | "webhook/test";
        /** @description One visitor's way through a funnel. */
        SentFunnelSession: {
            /** @description Unique identifier of the session, prefix `fs_`. */
            id: string;
            /** @description The store, prefix `store_`. */
            storeId: string;
            /** @description The processing account, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The funnel, prefix `funnel_`. */
            funnelId: string;
            /**
             * Format: int32
             * @description The version of the funnel with which the session started. It does not change.
             */
            funnelVersion: number;
            /** @description The customer, prefix `cus_`. Null until the customer is known, at the latest by the first payment. */
            customerId: string | null;
            /** @description The id of the current step. */
            currentStepId: string;
            /** @description The variant of the current step that the visitor sees. Null if the step has no variants. */
            variantId: string | null;
            /** @description The status of the session. */
            status: components["schemas"]["FunnelSessionStatus"];
            /** @description Whether the current step has no outgoing edges. */
            done: boolean;
            /** @description Time at which the session first reached a step with `isConversion`. Null if it has not. */
            convertedAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which the session is abandoned and its page no longer opens: 24 hours after the last event. */
            expiresAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the session started. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time of the last event of the session. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description A string of at most 500 characters. */
        ShortText: string;
        /** @description An amount of one object in minor units that may be negative: a whole number from -9000000000000000 to 9000000000000000. In the ledger debits are positive and credits negative. */
        SignedAmount: number;
        /**
         * @description The direction of an order.
         * @enum {string}
         */
        SortDirection: "asc" | "desc";
        /** @description A place where an account sells. Each customer, payment instrument and payment belongs to one store. */
        Store: {
            /** @description Unique identifier of the store, prefix `store_`. */
            id: string;
            /** @description The name of the store. */
            name: string;
            /** @description The system the store runs on. */
            type: components["schemas"]["StoreType"];
            /** @description The currency in which the store does its accounting, an ISO 4217 code. */
            baseCurrency: components["schemas"]["Currency"];
            /** @description The currencies in which the store shows prices, as ISO 4217 codes. */
            presentmentCurrencies: components["schemas"]["Currency"][];
            /** @description The currencies in which the store can charge, as ISO 4217 codes. A payment must be in one of these. */
            chargeCurrencies: components["schemas"]["Currency"][];
            /** @description The payment flow that routes the charges of the store unless a charge names another one, prefix `flow_`. Null if the store has none. */
            paymentFlowId: string | null;
            /** @description The processing account that the store belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the store was created. */
            createdAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of stores. A store is returned only if it matches every filter given. */
        StoreFilters: {
            /** @description Returns stores with any of these base currencies. */
            baseCurrency?: components["schemas"]["Currency"][];
            /** @description Compares the time at which the store was created. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Compares the name of the store. */
            name?: components["schemas"]["TextFilter"];
            /** @description Returns stores of any of these types. */
            type?: components["schemas"]["StoreType"][];
        };
        /** @description A page of stores. */
        StorePage: {
            /** @description The stores of this page. Empty after the last page. */
            stores: components["schemas"]["Store"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            pageCount: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        StoreSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["StoreSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        StoreSortField: "createdAt" | "name";
        /**
         * @description The system a store runs on.
         * @enum {string}
         */
        StoreType: "external" | "platform" | "shopify" | "woocommerce";
        /** @description The values to submit, for all requirements or some of them. */
        SubmitKybInput: {
            /** @description At least one item, with each code at most once. */
            items: components["schemas"]["KybItemInput"][];
        };
        /** @description A recurring agreement to charge a customer, one charge per period. Periods are computed in UTC from an anchor: the start, the end of the trial, or the time of a resumption or of a change to another billing interval. A period of months ends on the day of the anchor at the same time of day, or on the last day of a month that has no such day (31 January, 28 or 29 February, 31 March). */
        Subscription: {
            /** @description Unique identifier of the subscription, prefix `sub_`. */
            id: string;
            /** @description The store of the subscription, prefix `store_`. */
            storeId: string;
            /** @description The processing account that the subscription belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The customer who pays, prefix `cus_`. */
            customerId: string;
            /** @description The payment instrument that is charged, prefix `pi_`. */
            paymentInstrumentId: string;
            /** @description The price of one unit, prefix `price_`. */
            priceId: string;
            /** @description The number of units per period. */
            quantity: components["schemas"]["Quantity"];
            /** @description The amount of a period in minor units of the currency: the price times the quantity. */
            amount: components["schemas"]["Amount"];
            /** @description The currency of the subscription, an ISO 4217 code. */
            currency: components["schemas"]["Currency"];
            /** @description The unit of the billing interval. */
            interval: components["schemas"]["Interval"];
            /**
             * Format: int32
             * @description The number of units in the billing interval.
             */
            intervalCount: number;
            /** @description The status of the subscription. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Time at which the trial ends or ended, and the subscription is charged for the first time. Null without a trial. */
            trialEndsAt: components["schemas"]["DateTime"] | null;
            /** @description Start of the current period. */
            currentPeriodStart: components["schemas"]["DateTime"];
            /** @description End of the current period. After a `rebill` before the end of the period, the end of the period that is paid already. */
            currentPeriodEnd: components["schemas"]["DateTime"];
            /** @description Time of the next charge: the end of the period, or the next retry while `past_due`. Null if no charge is scheduled. */
            nextBillingDate: components["schemas"]["DateTime"] | null;
            /** @description The amount carried over from prorations in minor units of the currency: added to the next charge if positive, subtracted from it if negative. A credit larger than a charge is carried on. What is left when the subscription ends is neither charged nor paid out. */
            balance: components["schemas"]["SignedAmount"];
            /** @description Whether the subscription ends at the end of the current period. */
            cancelAtPeriodEnd: boolean;
            /** @description Time at which the subscription ended. Null unless it is `canceled`. */
            canceledAt: components["schemas"]["DateTime"] | null;
            /** @description The reason for which the subscription ended. Null unless it is `canceled`. */
            cancellationReason: components["schemas"]["CancellationReason"] | null;
            /** @description Time at which the subscription was paused. Null unless it is `paused`. */
            pausedAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which a paused subscription is resumed automatically. Null if no time is set. */
            resumeAt: components["schemas"]["DateTime"] | null;
            /** @description The change to another billing interval that is awaiting its payment, or, with `prorate` false, the end of the paid period. While one is awaiting its payment, another change, `pause` and `rebill` are 409 `invalid_state`. An update to the present price and quantity takes it back; another update replaces one that takes effect at the end of the period. Null if there is none. */
            pendingUpdate: components["schemas"]["PendingUpdate"] | null;
            /** @description The required cardholder action while the subscription is `past_due`, with the address of the page for it: after a charge that failed with `authentication_failed` or `expired_card`, until the period is paid, the card replaced, or the subscription ended. Null otherwise. */
            actionRequired: components["schemas"]["SubscriptionActionRequired"] | null;
            /** @description The latest payment of the subscription, prefix `pay_`. Null before the first charge. */
            latestPaymentId: string | null;
            /** @description The test clock of the customer, whose time applies to the subscription, prefix `clock_`. Null if real time applies. */
            testClockId: string | null;
            /** @description Key-value pairs stored with the subscription. */
            metadata: components["schemas"]["Metadata"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the subscription was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the subscription last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The required cardholder action for a subscription that is past due.
         * @enum {string}
         */
        SubscriptionActionReason: "authentication" | "card_expired";
        /** @description The required cardholder action before a subscription that is past due can be charged. */
        SubscriptionActionRequired: {
            /** @description The required cardholder action. */
            reason: components["schemas"]["SubscriptionActionReason"];
            /** @description The address of the hosted page on which the cardholder pays the open period: by confirming the payment, or with another card, which is charged from then on. It contains a secret, works while the subscription is `past_due` for this period, and is to be given to this customer only. Null for people. */
            url: string | null;
            /** @description Time of the last retry, 7 days after the first failure. If that is declined, the subscription is `canceled`, and the page with it. */
            expiresAt: components["schemas"]["DateTime"];
        };
        /** @description The event `subscription/actionRequired`. */
        SubscriptionActionRequiredEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/actionRequired";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/activated`. */
        SubscriptionActivatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/activated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/cancelScheduled`. */
        SubscriptionCancelScheduledEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/cancelScheduled";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/canceled`. */
        SubscriptionCanceledEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/canceled";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/created`. */
        SubscriptionCreatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/created";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description Filters for a list of subscriptions. A subscription is returned only if it matches every filter given. */
        SubscriptionFilters: {
            /** @description Compares the time at which the subscription was created. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Returns subscriptions of this customer, prefix `cus_`. */
            customerId?: string;
            /** @description True for subscriptions of customers on a test clock, false for the others. */
            onTestClock?: boolean;
            /** @description Returns subscriptions of this processing account, prefix `tpa_`. */
            platformAccountId?: string;
            /** @description Returns subscriptions to this price, prefix `price_`. */
            priceId?: string;
            /** @description Returns subscriptions with any of these statuses. */
            status?: components["schemas"]["SubscriptionStatusFilter"][];
            /** @description Returns subscriptions of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of subscriptions. */
        SubscriptionPage: {
            /** @description The subscriptions of this page. Empty after the last page. */
            items: components["schemas"]["Subscription"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The event `subscription/pastDue`. */
        SubscriptionPastDueEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/pastDue";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/paused`. */
        SubscriptionPausedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/paused";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/rebillDeclined`. */
        SubscriptionRebillDeclinedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/rebillDeclined";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/rebillSucceeded`. */
        SubscriptionRebillSucceededEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/rebillSucceeded";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/rebillUpcoming`. */
        SubscriptionRebillUpcomingEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/rebillUpcoming";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The event `subscription/resumed`. */
        SubscriptionResumedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/resumed";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        SubscriptionSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["SubscriptionSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        SubscriptionSortField: "createdAt" | "nextBillingDate" | "status";
        /**
         * @description The status of a subscription.
         * @enum {string}
         */
        SubscriptionStatus: "active" | "canceled" | "incomplete" | "past_due" | "paused" | "trialing";
        /**
         * @description A status of a subscription to filter by.
         * @enum {string}
         */
        SubscriptionStatusFilter: "active" | "canceled" | "incomplete" | "past_due" | "paused" | "trialing";
        /** @description The event `subscription/updated`. */
        SubscriptionUpdatedEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "subscription/updated";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["SubscriptionWithPayment"];
            };
        };
        /** @description A recurring agreement to charge a customer, one charge per period. Periods are computed in UTC from an anchor: the start, the end of the trial, or the time of a resumption or of a change to another billing interval. A period of months ends on the day of the anchor at the same time of day, or on the last day of a month that has no such day (31 January, 28 or 29 February, 31 March). */
        SubscriptionWithPayment: {
            /** @description Unique identifier of the subscription, prefix `sub_`. */
            id: string;
            /** @description The store of the subscription, prefix `store_`. */
            storeId: string;
            /** @description The processing account that the subscription belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The customer who pays, prefix `cus_`. */
            customerId: string;
            /** @description The payment instrument that is charged, prefix `pi_`. */
            paymentInstrumentId: string;
            /** @description The price of one unit, prefix `price_`. */
            priceId: string;
            /** @description The number of units per period. */
            quantity: components["schemas"]["Quantity"];
            /** @description The amount of a period in minor units of the currency: the price times the quantity. */
            amount: components["schemas"]["Amount"];
            /** @description The currency of the subscription, an ISO 4217 code. */
            currency: components["schemas"]["Currency"];
            /** @description The unit of the billing interval. */
            interval: components["schemas"]["Interval"];
            /**
             * Format: int32
             * @description The number of units in the billing interval.
             */
            intervalCount: number;
            /** @description The status of the subscription. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Time at which the trial ends or ended, and the subscription is charged for the first time. Null without a trial. */
            trialEndsAt: components["schemas"]["DateTime"] | null;
            /** @description Start of the current period. */
            currentPeriodStart: components["schemas"]["DateTime"];
            /** @description End of the current period. After a `rebill` before the end of the period, the end of the period that is paid already. */
            currentPeriodEnd: components["schemas"]["DateTime"];
            /** @description Time of the next charge: the end of the period, or the next retry while `past_due`. Null if no charge is scheduled. */
            nextBillingDate: components["schemas"]["DateTime"] | null;
            /** @description The amount carried over from prorations in minor units of the currency: added to the next charge if positive, subtracted from it if negative. A credit larger than a charge is carried on. What is left when the subscription ends is neither charged nor paid out. */
            balance: components["schemas"]["SignedAmount"];
            /** @description Whether the subscription ends at the end of the current period. */
            cancelAtPeriodEnd: boolean;
            /** @description Time at which the subscription ended. Null unless it is `canceled`. */
            canceledAt: components["schemas"]["DateTime"] | null;
            /** @description The reason for which the subscription ended. Null unless it is `canceled`. */
            cancellationReason: components["schemas"]["CancellationReason"] | null;
            /** @description Time at which the subscription was paused. Null unless it is `paused`. */
            pausedAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which a paused subscription is resumed automatically. Null if no time is set. */
            resumeAt: components["schemas"]["DateTime"] | null;
            /** @description The change to another billing interval that is awaiting its payment, or, with `prorate` false, the end of the paid period. While one is awaiting its payment, another change, `pause` and `rebill` are 409 `invalid_state`. An update to the present price and quantity takes it back; another update replaces one that takes effect at the end of the period. Null if there is none. */
            pendingUpdate: components["schemas"]["PendingUpdate"] | null;
            /** @description The required cardholder action while the subscription is `past_due`, with the address of the page for it: after a charge that failed with `authentication_failed` or `expired_card`, until the period is paid, the card replaced, or the subscription ended. Null otherwise. */
            actionRequired: components["schemas"]["SubscriptionActionRequired"] | null;
            /** @description The latest payment of the subscription, prefix `pay_`. Null before the first charge. */
            latestPaymentId: string | null;
            /** @description The test clock of the customer, whose time applies to the subscription, prefix `clock_`. Null if real time applies. */
            testClockId: string | null;
            /** @description Key-value pairs stored with the subscription. */
            metadata: components["schemas"]["Metadata"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the subscription was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the subscription last changed. */
            updatedAt: components["schemas"]["DateTime"];
            /** @description The latest payment of the subscription. Null before the first charge. If the payment of an `incomplete` subscription or of its `pendingUpdate` has `requireActionData`, the cardholder must answer a challenge: continue that payment, and the subscription is updated by its outcome. */
            latestPayment: components["schemas"]["Payment"] | null;
        };
        /** @description The presets and schemas of the deployment to change. A field that is left out keeps its value. */
        SyncPluginConfigInput: {
            /** @description The deployment to change, prefix `dep_`. */
            deploymentId: string;
            /** @description Configurations by name, which replace all presets: at most 50, of 64 KiB each and 256 KiB in total. Each must satisfy the schema. Must not be null; `{}` for none. */
            presets?: components["schemas"]["JSONObject"];
            /** @description The JSON Schema that every configuration must satisfy: 2020-12, or draft-07 if its `$schema` names it. At most 64 KiB, 2,000 values, 32 levels and 100 patterns in RE2 syntax of 500 characters each, without remote references. Null if any configuration is valid. */
            schema?: components["schemas"]["JSONObject"] | null;
            /** @description How a form shows the configuration, at most 64 KiB. Stored and not interpreted. Null for none. */
            uiSchema?: components["schemas"]["JSONObject"] | null;
        };
        /** @description The result of a change of presets and schemas. */
        SyncedPlugin: {
            /** @description Always true. */
            ok: boolean;
            /** @description The deployment, prefix `dep_`. */
            deploymentId: string;
            /** @description The names of the presets of the deployment. */
            presets: string[];
            /** @description Time at which the deployment last changed. A call that changes nothing does not set it. */
            updatedAt: components["schemas"]["DateTime"];
            /** @description The instances whose live configuration violates the schema, prefix `pin_`. It stays live; the next configuration must satisfy the schema. Null if there are none. */
            violatingInstances?: string[];
        };
        /** @description A label of the form `<key>:<value>`, at most 100 characters. */
        Tag: string;
        /** @description A simulated clock for the customers created with it and for all their objects. Its time changes only when it is advanced. Test mode only. */
        TestClock: {
            /** @description Unique identifier of the test clock, prefix `clock_`. */
            id: string;
            /** @description The processing account that the test clock belongs to, prefix `tpa_`. */
            platformAccountId: string;
            /** @description The name of the test clock. */
            name: components["schemas"]["Label"];
            /** @description The current time of the test clock. While it advances, the time it has reached. */
            now: components["schemas"]["DateTime"];
            /** @description The status of the test clock. */
            status: components["schemas"]["TestClockStatus"];
            /** @description The time to which the current or failed advance leads. Null while the test clock is `ready`. */
            target: components["schemas"]["DateTime"] | null;
            /**
             * Format: int32
             * @description The number of steps that the current advance, or the last one, has completed.
             */
            stepsDone: number;
            /** @description A description of where an advance failed. Null unless the status is `internal_failure`. */
            failureReason: string | null;
            /** @description Always false: test clocks exist in test mode only. */
            livemode: boolean;
            /** @description Time at which the test clock was created, in real time. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the test clock last changed, in real time. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of test clocks. A test clock is returned only if it matches every filter given. */
        TestClockFilters: {
            /** @description Returns test clocks with any of these statuses. */
            status?: components["schemas"]["TestClockStatus"][];
            /** @description Returns test clocks of the accounts of any of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of test clocks. */
        TestClockPage: {
            /** @description The test clocks of this page. Empty after the last page. */
            items: components["schemas"]["TestClock"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        TestClockSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["TestClockSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        TestClockSortField: "createdAt";
        /**
         * @description The status of a test clock.
         * @enum {string}
         */
        TestClockStatus: "advancing" | "internal_failure" | "ready";
        /**
         * @description A case-insensitive comparison of strings. There are no wildcard characters. In REST the words have hyphens: `starts-with`.
         * @enum {string}
         */
        TextCondition: "contains" | "does-not-contain" | "ends-with" | "is" | "is-not" | "starts-with";
        /** @description A condition on a string. It is compared case-insensitively; there are no wildcard characters. */
        TextFilter: {
            /** @description The comparison. */
            condition: components["schemas"]["TextCondition"];
            /** @description The string to compare with, at most 500 characters. */
            value: components["schemas"]["ShortText"];
        };
        /**
         * @description Whether the cardholder is challenged with 3D Secure.
         * @enum {string}
         */
        ThreeDs: "automatic" | "force" | "skip";
        /** @description The card to tokenize. In test mode the documented test numbers behave as documented and any other valid number is approved. In live mode a test number is refused with 400. */
        TokenizeCardInput: {
            /** @description The card number: 12 to 19 digits; spaces are allowed. The length and the check digit are validated. */
            cardNumber: string;
            /** @description The name on the card, at most 100 characters. */
            cardholderName?: string | null;
            /** @description The security code: 4 digits for American Express, 3 for every other brand. It is stored no longer than the token is valid and the first authorization takes. */
            cvc: string;
            /**
             * Format: int32
             * @description The month in which the card expires, 1 to 12.
             */
            expMonth: number;
            /**
             * Format: int32
             * @description The year in which the card expires, four digits, at most 20 years ahead.
             */
            expYear: number;
            /** @description The store that the token is for, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. */
            storeId?: string | null;
        };
        /** @description One authorization, purchase, capture, void or refund of a payment at a processor. */
        Transaction: {
            /** @description The identifier, prefix `txn_`. It is also the idempotency key sent to the processor. */
            id: string;
            /** @description The kind of the transaction. */
            type: components["schemas"]["TransactionType"];
            /** @description The status of the transaction. */
            status: components["schemas"]["TransactionStatus"];
            /** @description The amount in minor units of the currency. */
            amount: components["schemas"]["Amount"];
            /** @description The ISO 4217 code of the currency. */
            currency: components["schemas"]["Currency"];
            /** @description The identifier of the processor that was called, prefix `proc_`. */
            processorId: string | null;
            /** @description The processor's own reference. Null until the processor has returned one. */
            processorReference: string | null;
            /** @description The reason for which the transaction failed. Null unless it failed or was declined. */
            failureCode: components["schemas"]["FailureCode"] | null;
            /** @description The time at which the transaction was created. */
            createdAt: components["schemas"]["DateTime"];
        };
        /**
         * @description The status of a transaction.
         * @enum {string}
         */
        TransactionStatus: "declined" | "failed" | "processing" | "requires_action" | "succeeded";
        /**
         * @description The kind of a transaction.
         * @enum {string}
         */
        TransactionType: "authorization" | "capture" | "purchase" | "refund" | "void";
        /** @description A lifetime in hours. A whole number from 1 to 8760. */
        TtlHours: number;
        /** @description The mount of a plugin instance to remove. */
        UnmountPluginInstanceInput: {
            /** @description The alias of the mount. */
            alias: components["schemas"]["MountAlias"];
            /** @description The base path of the mount. Default: `/`. */
            basePath?: components["schemas"]["BasePath"];
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The store of the instance, prefix `store_`. */
            storeId: string;
        };
        /** @description The fields to change. Fields that are left out keep their values. */
        UpdateAccountInput: {
            /** @description The merchant's legal name. */
            legalName?: components["schemas"]["Name"] | null;
            /** @description Key-value data to store with the account. Replaces all existing keys. */
            metadata?: components["schemas"]["Metadata"] | null;
        };
        /** @description The fields to change. Fields that are left out keep their values. Null removes a criterion; at least one criterion must remain. */
        UpdateBlockRuleInput: {
            /** @description The first 6 to 8 digits of the card number. */
            bin?: components["schemas"]["BinPrefix"] | null;
            /** @description A pattern searched for in the first digits of the card number: 8 digits, or 6 if the number has fewer than 16 digits. */
            binRegex?: components["schemas"]["Pattern"] | null;
            /** @description The country of the charge's billing address, or of the customer's if the charge has none. */
            country?: components["schemas"]["Country"] | null;
            /** @description Identifier of the paying customer, prefix `cus_`. */
            customerId?: string | null;
            /** @description The customer's email address, compared case-insensitively. */
            email?: components["schemas"]["Email"] | null;
            /** @description A pattern searched for in the customer's email address. */
            emailRegex?: components["schemas"]["Pattern"] | null;
            /** @description The IP address of the cardholder: the `payerIp` of a charge, or the address of a checkout page's visitor. A charge without one does not match. */
            ipAddress?: components["schemas"]["IpAddress"] | null;
            /** @description Whether the rule never expires. False lets it expire after `ttlHours` from now, by default 24. */
            isPermanent?: boolean;
            /** @description Key-value data to store with the rule. Replaces all existing keys. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The name of the rule. */
            name?: components["schemas"]["Label"];
            /** @description How the criteria are combined. */
            operator?: components["schemas"]["RuleOperator"];
            /** @description The card number, 12 to 19 digits. Spaces are ignored. Only a keyed hash of it is stored; its last four digits are returned as `panLast4`. An account can name at most 20 different numbers a day that share `bin` and `last4`; further ones are 429. */
            pan?: string | null;
            /** @description A pattern searched for in the masked card number: the digits of `bin`, `*` for each hidden digit, the last four digits, such as `42424242****4242`. */
            panRegex?: components["schemas"]["Pattern"] | null;
            /** @description Identifier of a payment, prefix `pay_`. Charges with the card of that payment match. */
            paymentId?: string | null;
            /** @description The lifetime of the rule from now in hours, 1 to 8760. */
            ttlHours?: components["schemas"]["TtlHours"] | null;
        };
        /** @description The fields of the customer to change. A field that is left out keeps its value; null removes the value. */
        UpdateCustomerInput: {
            /** @description The billing address of the customer. Replaces the whole address. */
            billingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description The email address of the customer. Must not be null. 409 `already_exists` if another customer of the store has it. */
            email?: components["schemas"]["Email"];
            /** @description The given name of the customer. */
            firstName?: components["schemas"]["Name"] | null;
            /** @description The family name of the customer. */
            lastName?: components["schemas"]["Name"] | null;
            /** @description Key-value pairs to store with the customer. Replaces all metadata of the customer. */
            metadata?: components["schemas"]["Metadata"] | null;
            /** @description The telephone number of the customer. */
            phone?: components["schemas"]["ShortText"] | null;
            /** @description The shipping address of the customer. Replaces the whole address. */
            shippingAddress?: components["schemas"]["AddressInput"] | null;
            /** @description Labels of the form `<key>:<value>`, at most 50. Replaces all tags of the customer. */
            tags?: components["schemas"]["Tag"][] | null;
        };
        /** @description The changes to a funnel. Fields that are left out keep their values. Steps and edges are checked together, as they are after the change. */
        UpdateFunnelInput: {
            /** @description The edges between the steps, at most 200. They must not form a cycle. Replaces all current edges. */
            edges?: components["schemas"]["FunnelEdgeInput"][];
            /** @description Whether sessions that name no funnel start with this one. It then replaces the current default of the store. */
            isDefault?: boolean;
            /** @description The name of the funnel. */
            name?: components["schemas"]["Label"];
            /** @description The steps of the funnel, 1 to 50. Exactly one is the entry, from which all others can be reached. Replaces all current steps. */
            nodes?: components["schemas"]["FunnelNodeInput"][];
        };
        /** @description The fields to change. Fields that are left out keep their values. A given list replaces the whole list. */
        UpdatePaymentFlowInput: {
            /** @description The fallback processors of a cascade, in order. A processor is tried at most once per charge. Null or an empty list removes all fallbacks. */
            fallbacks?: components["schemas"]["FlowFallbackInput"][] | null;
            /** @description The number of processors that a cascade can try after the first one, 0 to 10. */
            maxRetries?: components["schemas"]["RetryCount"];
            /** @description The name of the payment flow. */
            name?: components["schemas"]["Label"];
            /** @description The processors from which the first one of a charge is chosen, by weight. Processors that are disabled, not connected or do not support the currency are skipped. If none remains, a cascade starts with its first fallback; otherwise the charge is `failed` with `no_processor`. */
            processors?: components["schemas"]["FlowProcessorInput"][];
            /** @description Whether customers keep their processor. It is the processor of this flow that last approved one of the customer's latest 20 charges; until there is one, the same weighted choice is made for every charge. */
            sticky?: boolean;
            /** @description Whether a charge can continue with fallbacks. `simple` is refused with 400 while the flow has fallbacks; send `fallbacks: []` with it. */
            strategy?: components["schemas"]["FlowStrategy"];
            /** @description Whether cardholders are challenged (3D Secure), unless the charge specifies it. */
            threeDs?: components["schemas"]["FlowThreeDs"];
        };
        /** @description The configuration to make the live one. */
        UpdatePluginInstanceConfigInput: {
            /** @description The whole configuration, at most 64 KiB. It must satisfy the schema of the deployment. Pages show it to every visitor, so it must contain no secret. */
            config: components["schemas"]["JSONObject"];
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The store of the instance, prefix `store_`. */
            storeId: string;
        };
        /** @description The fields to change. Fields that are left out keep their values. */
        UpdateProcessorInput: {
            /** @description Whether charges can be sent to the processor. Captures, voids and refunds of its existing charges remain possible if it is disabled. */
            enabled?: boolean;
            /** @description The name of the processor. */
            name?: components["schemas"]["Label"];
            /** @description The options to change, as for `createProcessor`. Options that are left out keep their values; null removes an option. */
            options?: components["schemas"]["JSONObject"];
            /** @description The currencies that the processor supports. Null or empty for every currency. */
            supportedCurrencies?: components["schemas"]["Currency"][] | null;
        };
        /** @description The fields of the store to change. A field that is left out keeps its value. */
        UpdateStoreInput: {
            /** @description The new name of the store. Must not be null. */
            name?: components["schemas"]["Name"];
            /** @description The payment flow that routes the charges of the store from now on, prefix `flow_`. Null for none. 404 if the account has no such payment flow. */
            paymentFlowId?: string | null;
        };
        /** @description The fields of the subscription to change. A field that is left out keeps its value. */
        UpdateSubscriptionInput: {
            /** @description The payment instrument of the customer to charge from now on, prefix `pi_`. A failed charge is retried at its scheduled time, or immediately by `rebill`. */
            paymentInstrumentId?: string | null;
            /** @description The new price, prefix `price_`, of the same store and currency. With the same billing interval the periods do not change. With another billing interval a new period is charged immediately, less the unused part of what was paid, and starts when it is paid: see `pendingUpdate`. While `trialing`, nothing is charged. 409 `payment_failed` with `data.paymentId` if the charge fails: the subscription is unchanged. 409 `invalid_state` for another billing interval unless the subscription is `active` or `trialing`. The present price and quantity cancel a pending change. */
            priceId?: string | null;
            /** @description Whether the rest of the paid period is prorated. If true, the share of the remaining time, to the millisecond and in whole minor units rounded half up, is credited at the old price and owed at the new price, and the difference (`balance`) is added to the next charge. The credit is reduced by what was refunded of the period or lost in a dispute. While `past_due` the difference is added to the amount of the next retry. If false, the new price applies from the next period on, and a failed charge is retried with its amount; another billing interval is then a `pendingUpdate` until the paid period ends, and nothing is charged now. Default: `true`. */
            prorate?: boolean | null;
            /** @description The new number of units per period, 1 to 1,000,000. */
            quantity?: components["schemas"]["Quantity"] | null;
            /** @description The URL to which the cardholder is redirected after a challenge of the charge of another billing interval. Defaults to that of the creation. Must be https in live mode. */
            returnUrl?: components["schemas"]["Url"] | null;
            /** @description The subscription, prefix `sub_`. */
            subscriptionId: string;
        };
        /** @description The changes to a webhook endpoint. Fields that are left out keep their values. */
        UpdateWebhookEndpointInput: {
            /** @description A description of the endpoint; null removes it. */
            description?: components["schemas"]["ShortText"] | null;
            /** @description Whether to send events. Setting it to false marks open deliveries dead. Setting it to true sends events from then on; events that occurred while it was false must be redelivered. */
            enabled?: boolean;
            /** @description The types of event to send. At least one. Replaces the current types. */
            eventTypes?: components["schemas"]["EventType"][];
            /** @description Whether to send the events of one object one after the other. */
            ordered?: boolean;
            /** @description The URL to send events to, from the next attempt on. */
            url?: components["schemas"]["Url"];
        };
        /** @description The live configuration of a plugin instance after a change. */
        UpdatedPluginConfig: {
            /** @description Always true. */
            ok: boolean;
            /** @description The plugin instance, prefix `pin_`. */
            deploymentInstanceId: string;
            /** @description The whole configuration. */
            config: components["schemas"]["JSONObject"];
            /** @description Time at which the live configuration last changed. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /**
         * Format: uri
         * @description An absolute http or https URL of at most 2048 characters, without user name and password, white space and backslashes, with port 443, 80 or 1024 and above. In live mode only https is accepted.
         */
        Url: string;
        VoidPaymentInput: {
            /** @description The identifier of the payment, prefix `pay_`. */
            paymentId: string;
        };
        /** @description One request to the receiver of a delivery. */
        WebhookAttempt: {
            /** @description Time at which the request was sent. */
            at: components["schemas"]["DateTime"];
            /**
             * Format: int32
             * @description The HTTP status of the answer. Null if there was no answer.
             */
            status: number | null;
            /**
             * Format: int32
             * @description The duration of the request in milliseconds.
             */
            durationMs: number;
            /** @description The first KiB of the answer. Null if no body was received. */
            responseBody: string | null;
            /** @description The reason the attempt failed. Null if it succeeded. */
            error: string | null;
        };
        /** @description One event to be sent to one webhook endpoint. An event is delivered at least once. The receiver detects repeats by the header `webhook-id`, which contains the id of the event. */
        WebhookDelivery: {
            /** @description Unique identifier of the delivery, prefix `whd_`. */
            id: string;
            /** @description The event that is sent, prefix `evt_`. */
            eventId: string;
            /** @description The type of the event, such as `payment/succeeded`; `webhook/test` for a test. */
            eventType: components["schemas"]["SentEventType"];
            /** @description The status of the delivery. */
            status: components["schemas"]["WebhookDeliveryStatus"];
            /** @description The attempts of the delivery, oldest first. Contains at most the latest 50. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /** @description Time of the next attempt. Null if no attempt is scheduled. An event on a test clock is sent immediately; its retries are scheduled in the time of that clock and sent when the clock is advanced. */
            nextAttemptAt: components["schemas"]["DateTime"] | null;
            /** @description Time at which the event occurred. */
            createdAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of webhook deliveries. A delivery must match all filters that are given. */
        WebhookDeliveryFilters: {
            /** @description Deliveries of events that occurred at this time. */
            createdAt?: components["schemas"]["DateFilter"];
            /** @description Deliveries of this event, prefix `evt_`. */
            eventId?: string;
            /** @description Deliveries of events of one of these types. */
            eventType?: components["schemas"]["EventType"][];
            /** @description Deliveries with one of these statuses. */
            status?: components["schemas"]["WebhookDeliveryStatus"][];
        };
        /** @description A page of webhook deliveries. */
        WebhookDeliveryPage: {
            /** @description The webhook deliveries of this page. Empty after the last page. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        WebhookDeliverySort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["WebhookDeliverySortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        WebhookDeliverySortField: "createdAt";
        /**
         * @description The status of a webhook delivery.
         * @enum {string}
         */
        WebhookDeliveryStatus: "dead" | "delivered" | "failed" | "pending";
        /**
         * @description The reason a webhook endpoint is disabled.
         * @enum {string}
         */
        WebhookDisabledReason: "failing" | "gone" | "manual";
        /** @description A URL that events are sent to. Requests are signed according to Standard Webhooks 1.0. */
        WebhookEndpoint: {
            /** @description Unique identifier of the endpoint, prefix `wh_`. */
            id: string;
            /** @description The URL that events are sent to. */
            url: components["schemas"]["Url"];
            /** @description The types of event that are sent to the endpoint. */
            eventTypes: components["schemas"]["EventType"][];
            /** @description The account whose events are sent, prefix `tpa_`. Null if events of all accounts of the partner in this mode are sent. */
            platformAccountId: string | null;
            /** @description The store whose events are sent, prefix `store_`. Null if events are not limited to one store. */
            storeId: string | null;
            /** @description A description of the endpoint, set by the caller. Null if there is none. */
            description: string | null;
            /** @description Whether the events of one object are sent one after the other. If true, an event is sent only after the previous one was delivered or is dead. */
            ordered: boolean;
            /** @description Whether events are sent. While it is false, new events are recorded as dead deliveries. */
            enabled: boolean;
            /** @description The reason the endpoint is disabled. Null if it is enabled. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description Time until which the previous secret signs as well. Null if the secret was never rotated. */
            rotationEndsAt: components["schemas"]["DateTime"] | null;
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description Time at which the endpoint was created. */
            createdAt: components["schemas"]["DateTime"];
            /** @description Time at which the endpoint was last updated. */
            updatedAt: components["schemas"]["DateTime"];
        };
        /** @description Filters for a list of webhook endpoints. An endpoint must match all filters that are given. */
        WebhookEndpointFilters: {
            /** @description True for enabled endpoints, false for disabled ones. */
            enabled?: boolean;
            /** @description Endpoints limited to one of these stores, prefix `store_`. */
            storeId?: string[];
        };
        /** @description A page of webhook endpoints. */
        WebhookEndpointPage: {
            /** @description The webhook endpoints of this page. Empty after the last page. */
            items: components["schemas"]["WebhookEndpoint"][];
            /** @description The number of items on all pages. Null if the page was read by cursor. */
            total: components["schemas"]["Count"] | null;
            /**
             * Format: int32
             * @description The number of this page, starting at 1. Null if the page was read by cursor.
             */
            page: number | null;
            /**
             * Format: int32
             * @description The maximum number of items on a page.
             */
            pageSize: number;
            /** @description The number of pages, 0 if the list is empty. Null if the page was read by cursor. */
            totalPages: components["schemas"]["Count"] | null;
        };
        /** @description The order of a list. Items with equal values are ordered by id in the same direction. */
        WebhookEndpointSort: {
            /** @description The direction of the order. */
            direction: components["schemas"]["SortDirection"];
            /** @description The field to sort by. */
            field: components["schemas"]["WebhookEndpointSortField"];
        };
        /**
         * @description The fields by which the list can be sorted.
         * @enum {string}
         */
        WebhookEndpointSortField: "createdAt";
        /** @description The result of redelivering the events of an endpoint. */
        WebhookRedelivery: {
            /**
             * Format: int32
             * @description The number of events that are sent again.
             */
            redelivered: number;
        };
        /** @description The event `webhook/test`. */
        WebhookTestEvent: {
            /** @description Unique identifier of the event, prefix `evt_`. */
            id: string;
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook/test";
            /** @description Time at which the change was made. It is never earlier than that of the object's previous event. */
            createdAt: components["schemas"]["DateTime"];
            /** @description True in live mode, false in test mode. */
            livemode: boolean;
            /** @description The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of an endpoint that receives the events of all accounts. */
            platformAccountId: string | null;
            /** @description The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole. */
            storeId: string | null;
            /**
             * Format: int32
             * @description The number of the event among the events of its object, counted from 1 without gaps.
             */
            sequence: number;
            /** @description The identifier of the request that made the change. */
            requestId: string;
            /** @description The data of the event. */
            data: {
                /** @description The object as GET answered it directly after the change. */
                object: components["schemas"]["WebhookEndpoint"];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    CreateAccount: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccountInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    GetAccount: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. */
                platformAccountId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    UpdateAccount: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. */
                platformAccountId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateAccountInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    CreateApiKey: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. 404 if it is not visible to the API key. */
                platformAccountId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    ListApiKeys: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. 404 if it is not visible to the API key. */
                platformAccountId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListApiKeysInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    DescribeKyb: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. */
                platformAccountId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kyb"];
                };
            };
        };
    };
    SubmitKyb: {
        parameters: {
            path: {
                /** @description Identifier of the processing account, prefix `tpa_`. */
                platformAccountId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitKybInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kyb"];
                };
            };
        };
    };
    ListAccounts: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListAccountsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
        };
    };
    RevokeApiKey: {
        parameters: {
            path: {
                /** @description Identifier of the sub-key, prefix `ak_`. */
                keyId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    AuthTest: {
        parameters: {
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthTest"];
                };
            };
        };
    };
    CreateBlockRule: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBlockRuleInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockRule"];
                };
            };
        };
    };
    GetBlockRule: {
        parameters: {
            path: {
                /** @description Identifier of the rule, prefix `rule_`. */
                blockRuleId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockRule"];
                };
            };
        };
    };
    UpdateBlockRule: {
        parameters: {
            path: {
                /** @description Identifier of the rule, prefix `rule_`. */
                blockRuleId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateBlockRuleInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockRule"];
                };
            };
        };
    };
    DeleteBlockRule: {
        parameters: {
            path: {
                /** @description Identifier of the rule, prefix `rule_`. */
                blockRuleId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    ListBlockRules: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListBlockRulesInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockRulePage"];
                };
            };
        };
    };
    GetCustomer: {
        parameters: {
            path: {
                /** @description The customer to return, prefix `cus_`. */
                customerId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
        };
    };
    UpdateCustomer: {
        parameters: {
            path: {
                /** @description The customer to update, prefix `cus_`. */
                customerId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCustomerInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
        };
    };
    DeleteCustomer: {
        parameters: {
            path: {
                /** @description The customer to delete, prefix `cus_`. */
                customerId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    GetCustomerData: {
        parameters: {
            path: {
                /** @description The customer, prefix `cus_`. */
                customerId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerData"];
                };
            };
        };
    };
    CreateCustomer: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCustomerInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
        };
    };
    ListCustomers: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListCustomersInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerPage"];
                };
            };
        };
    };
    GetDispute: {
        parameters: {
            path: {
                /** @description The dispute, prefix `dp_`. */
                disputeId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
        };
    };
    ListDisputes: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListDisputesInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputePage"];
                };
            };
        };
    };
    GetEvent: {
        parameters: {
            path: {
                /** @description The event to return, prefix `evt_`. */
                eventId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    ListEvents: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListEventsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    CreateFunnelSession: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateFunnelSessionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelSession"];
                };
            };
        };
    };
    GetFunnelSession: {
        parameters: {
            path: {
                /** @description The session, prefix `fs_`. */
                sessionId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelSession"];
                };
            };
        };
    };
    NextFunnelStep: {
        parameters: {
            path: {
                /** @description The session, prefix `fs_`. */
                sessionId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NextFunnelStepInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelMove"];
                };
            };
        };
    };
    CreateFunnel: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFunnelInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Funnel"];
                };
            };
        };
    };
    GetFunnel: {
        parameters: {
            path: {
                /** @description The funnel, prefix `funnel_`. */
                funnelId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Funnel"];
                };
            };
        };
    };
    UpdateFunnel: {
        parameters: {
            path: {
                /** @description The funnel, prefix `funnel_`. */
                funnelId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateFunnelInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Funnel"];
                };
            };
        };
    };
    DeleteFunnel: {
        parameters: {
            path: {
                /** @description The funnel, prefix `funnel_`. */
                funnelId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    GetFunnelFigures: {
        parameters: {
            path: {
                /** @description The funnel, prefix `funnel_`. */
                funnelId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelFigures"];
                };
            };
        };
    };
    ListFunnels: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListFunnelsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelPage"];
                };
            };
        };
    };
    GetOrder: {
        parameters: {
            path: {
                /** @description The order to return, prefix `ord_`. */
                orderId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    CancelOrder: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelOrderInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    CreateOrder: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrderInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    ListOrders: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListOrdersInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPage"];
                };
            };
        };
    };
    UpdatePaymentFlow: {
        parameters: {
            path: {
                /** @description Identifier of the payment flow, prefix `flow_`. */
                paymentFlowId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdatePaymentFlowInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentFlow"];
                };
            };
        };
    };
    DeletePaymentFlow: {
        parameters: {
            path: {
                /** @description Identifier of the payment flow, prefix `flow_`. */
                paymentFlowId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    CreatePaymentFlow: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentFlowInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentFlow"];
                };
            };
        };
    };
    ListPaymentFlows: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListPaymentFlowsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentFlowPage"];
                };
            };
        };
    };
    GetPaymentInstrument: {
        parameters: {
            path: {
                /** @description The payment instrument, prefix `pi_`. */
                paymentInstrumentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
        };
    };
    DeletePaymentInstrument: {
        parameters: {
            path: {
                /** @description The payment instrument, prefix `pi_`. */
                paymentInstrumentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    SetDefaultPaymentInstrument: {
        parameters: {
            path: {
                /** @description The payment instrument, prefix `pi_`. */
                paymentInstrumentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentInstrument"];
                };
            };
        };
    };
    CreateClientSession: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateClientSessionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedClientSession"];
                };
            };
        };
    };
    GetClientSession: {
        parameters: {
            path: {
                /** @description The client session, prefix `cs_`. */
                clientSessionId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientSession"];
                };
            };
        };
    };
    CreatePaymentInstrument: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentInstrumentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPaymentInstrument"];
                };
            };
        };
    };
    ListPaymentInstruments: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListPaymentInstrumentsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentInstrumentPage"];
                };
            };
        };
    };
    TokenizeCard: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenizeCardInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardToken"];
                };
            };
        };
    };
    ListPayments: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListPaymentsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
        };
    };
    GetPayment: {
        parameters: {
            path: {
                /** @description The identifier of the payment, prefix `pay_`. */
                paymentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResult"];
                };
            };
        };
    };
    CapturePayment: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CapturePaymentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResult"];
                };
            };
        };
    };
    ContinuePayment: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContinuePaymentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResult"];
                };
            };
        };
    };
    ProcessPayment: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessPaymentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResult"];
                };
            };
        };
    };
    RefundPayment: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundPaymentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundResult"];
                };
            };
        };
    };
    VoidPayment: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VoidPaymentInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResult"];
                };
            };
        };
    };
    UpdateProcessor: {
        parameters: {
            path: {
                /** @description Identifier of the processor, prefix `proc_`. */
                processorId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateProcessorInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Processor"];
                };
            };
        };
    };
    FinishCardprocessorConnect: {
        parameters: {
            query: {
                /** @description The state of the attempt, from the URL that `initiate` returned. Valid once, for 10 minutes. */
                state: string;
                /** @description The authorization code, if the merchant approved. */
                code?: string;
                /** @description The error of the processor, such as `access_denied`, if the merchant did not approve. */
                error?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The page on which the merchant decides; or, without a return URL, why the attempt cannot succeed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    InitiateCardprocessorConnect: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitiateConnectInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectAddress"];
                };
            };
        };
    };
    CreateProcessor: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProcessorInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Processor"];
                };
            };
        };
    };
    ListProcessors: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListProcessorsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessorPage"];
                };
            };
        };
    };
    CreateProduct: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProductInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
        };
    };
    ListProducts: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListProductsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductPage"];
                };
            };
        };
    };
    UpdateStore: {
        parameters: {
            path: {
                /** @description The store to update, prefix `store_`. */
                storeId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateStoreInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    CreateStore: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStoreInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    ListStores: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListStoresInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePage"];
                };
            };
        };
    };
    GetSubscription: {
        parameters: {
            path: {
                /** @description The subscription, prefix `sub_`. */
                subscriptionId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithPayment"];
                };
            };
        };
    };
    CancelSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelSubscriptionResult"];
                };
            };
        };
    };
    CreateSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithPayment"];
                };
            };
        };
    };
    ListSubscriptions: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListSubscriptionsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
        };
    };
    PauseSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    RebillSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RebillSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithPayment"];
                };
            };
        };
    };
    ResumeSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithPayment"];
                };
            };
        };
    };
    UpdateSubscription: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSubscriptionInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionWithPayment"];
                };
            };
        };
    };
    GetTestClock: {
        parameters: {
            path: {
                /** @description The test clock to return, prefix `clock_`. */
                testClockId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClock"];
                };
            };
        };
    };
    AdvanceTestClock: {
        parameters: {
            path: {
                /** @description The test clock to advance, prefix `clock_`. */
                testClockId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceTestClockInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClock"];
                };
            };
        };
    };
    CreateTestClock: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTestClockInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClock"];
                };
            };
        };
    };
    ListTestClocks: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListTestClocksInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestClockPage"];
                };
            };
        };
    };
    AdvanceTestDispute: {
        parameters: {
            path: {
                /** @description The dispute, prefix `dp_`. */
                disputeId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceTestDisputeInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
        };
    };
    OpenTestDispute: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenTestDisputeInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
        };
    };
    DeployPlugin: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployPluginInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployedPlugin"];
                };
            };
        };
    };
    GetPluginDeployment: {
        parameters: {
            path: {
                /** @description The deployment to return, prefix `dep_`. */
                deploymentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginDeployment"];
                };
            };
        };
    };
    DeletePluginDeployment: {
        parameters: {
            query?: {
                /** @description Whether to delete the deployment even if an instance is mounted. */
                force?: boolean;
            };
            path: {
                /** @description The deployment to delete, prefix `dep_`. */
                deploymentId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    SyncPluginConfig: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncPluginConfigInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncedPlugin"];
                };
            };
        };
    };
    ListPluginDeployments: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListPluginDeploymentsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginDeploymentPage"];
                };
            };
        };
    };
    GetPluginInstance: {
        parameters: {
            path: {
                /** @description The instance to return, prefix `pin_`. */
                deploymentInstanceId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginInstanceWithIssues"];
                };
            };
        };
    };
    DeletePluginInstance: {
        parameters: {
            path: {
                /** @description The instance to delete, prefix `pin_`. */
                deploymentInstanceId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    UpdatePluginInstanceConfig: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePluginInstanceConfigInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedPluginConfig"];
                };
            };
        };
    };
    ListPluginConfigurations: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListPluginConfigurationsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginConfigurationPage"];
                };
            };
        };
    };
    CreatePluginInstance: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePluginInstanceInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginInstance"];
                };
            };
        };
    };
    MountPluginInstance: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MountPluginInstanceInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountedPlugin"];
                };
            };
        };
    };
    RollBackPluginConfig: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollBackPluginConfigInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolledBackPluginConfig"];
                };
            };
        };
    };
    UnmountPluginInstance: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnmountPluginInstanceInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MountedPlugin"];
                };
            };
        };
    };
    ListPluginInstances: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListPluginInstancesInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginInstancePage"];
                };
            };
        };
    };
    CreateWebhookEndpoint: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpointInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhookEndpoint"];
                };
            };
        };
    };
    GetWebhookEndpoint: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    UpdateWebhookEndpoint: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpointInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    DeleteWebhookEndpoint: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    ListWebhookDeliveries: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListWebhookDeliveriesInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    RedeliverWebhooksSince: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliverWebhooksSinceInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    RotateWebhookSecret: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhookEndpoint"];
                };
            };
        };
    };
    TestWebhookEndpoint: {
        parameters: {
            path: {
                /** @description The endpoint, prefix `wh_`. */
                webhookId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    RedeliverWebhook: {
        parameters: {
            path: {
                /** @description The delivery, prefix `whd_`. */
                deliveryId: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    ListWebhookEndpoints: {
        parameters: {
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListWebhookEndpointsInput"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointPage"];
                };
            };
        };
    };
    ReceiveAccountCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveAccountUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveAccountKybUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountKybUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveCustomerCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveCustomerUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentInstrumentCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentInstrumentCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentInstrumentDeletedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentInstrumentDeletedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentActionRequiredEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentActionRequiredEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentAuthorizedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentAuthorizedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentSucceededEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentSucceededEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentRejectedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRejectedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentFailedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentFailedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentCapturedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCapturedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentVoidedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentVoidedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentRefundedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRefundedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePaymentRefundFailedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRefundFailedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveDisputeCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveDisputeUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderPaidEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderPaidEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderFailedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderFailedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderRefundedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderRefundedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderRefundFailedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderRefundFailedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveOrderCanceledEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderCanceledEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionCreatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionActivatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionActivatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionPausedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionPausedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionResumedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionResumedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionCanceledEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCanceledEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionCancelScheduledEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCancelScheduledEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionPastDueEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionPastDueEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionActionRequiredEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionActionRequiredEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionRebillUpcomingEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRebillUpcomingEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionRebillSucceededEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRebillSucceededEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveSubscriptionRebillDeclinedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRebillDeclinedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveFunnelStepEnteredEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FunnelStepEnteredEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveFunnelConvertedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FunnelConvertedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePluginDeployedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginDeployedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceivePluginConfigUpdatedEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginConfigUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ReceiveWebhookTestEvent: {
        parameters: {
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The event was received. Any other 2xx is as good. Anything else is tried again for days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
